// A PJRT plugin for tests. It compiles nothing and every result is zero (or noise), but it
// keeps count: each call that matters is a line of JSON in the file "log" beside the plugin,
// and each program is kept there as NNN.mlir. Package pjrttest builds and reads it.
//
// Memory is counted as a card would: a buffer lives from its making to its destruction,
// and a result takes over the memory of an argument that may be donated and that the
// program marks (tf.aliasing_output, jax.buffer_donor).
//
// FAKE_PJRT_DEVICES=N   N devices of 16 GiB (1)
// FAKE_PJRT_OOM=N[,M]   the N-th and the M-th execution of the process run out of memory
// FAKE_PJRT_BYTES=N     whatever takes more than N bytes runs out of memory
// FAKE_PJRT_DELAY=MS    an execution takes as many milliseconds
// FAKE_PJRT_NOISE=1     float32 results are numbers between 0 and 1, the same every time
// FAKE_PJRT_STRICT=NAME refuses the struct of that name as a newer plugin does whose own is
//                       larger: PJRT_ExecuteOptions (or 1),
//                       PJRT_Executable_GetCompiledMemoryStats_Args
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pjrt_c_api.h"

const PJRT_Api *GetPjrtApi(void);

// XLA's plugins hold the names of the flags that they know.
const char known_flags[] = "xla_gpu_per_fusion_autotune_cache_dir";

typedef struct {
  PJRT_Buffer_Type type;
  size_t rank;
  int64_t dims[16];
  size_t bytes;
  int donor;       // an argument: may give its memory to any result of its shape
  int64_t aliases; // an argument: gives it to this result; -1: to none
} Tensor;

typedef struct {
  Tensor *list;
  size_t n, room;
} Tensors;

struct PJRT_Error { PJRT_Error_Code code; char text[512]; };
struct PJRT_Event { char unused; };
struct PJRT_DeviceDescription { int id; char text[32]; };
struct PJRT_Device { struct PJRT_DeviceDescription description; };
struct PJRT_Client { struct PJRT_Device *devices[64]; size_t n; };
struct PJRT_Buffer { Tensor shape; PJRT_Device *device; size_t bytes; void *data; };
struct PJRT_Executable { int id; char name[32]; Tensors in, out; };
struct PJRT_LoadedExecutable { PJRT_Executable *executable; PJRT_Device *device; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static size_t live, peak;
static int programs, executions;

// beside opens a file next to the plugin, so that copies of it keep logs of their own; the
// null device once that folder is gone, as when a test has ended and Go collects garbage.
static FILE *beside(const char *name, const char *mode) {
  Dl_info self;
  char path[4096];
  if (!dladdr((void *)GetPjrtApi, &self)) abort();
  const char *slash = strrchr(self.dli_fname, '/');
  int folder = slash ? (int)(slash - self.dli_fname) : 1;
  snprintf(path, sizeof path, "%.*s/%s", folder, slash ? self.dli_fname : ".", name);
  FILE *f = fopen(path, mode);
  return f ? f : fopen("/dev/null", mode);
}

// note adds a line to the log; the caller holds the lock.
static void note(const char *format, ...) {
  FILE *f = beside("log", "a");
  va_list args;
  va_start(args, format);
  vfprintf(f, format, args);
  va_end(args);
  fputc('\n', f);
  fclose(f);
}

static void quote(FILE *f, const char *text, size_t n) {
  fputc('"', f);
  for (size_t i = 0; i < n; i++) {
    unsigned char c = text[i];
    if (c < 32) fprintf(f, "\\u%04x", c);
    else { if (c == '"' || c == '\\') fputc('\\', f); fputc(c, f); }
  }
  fputc('"', f);
}

static PJRT_Error *fail(PJRT_Error_Code code, const char *format, ...) {
  PJRT_Error *e = calloc(1, sizeof *e);
  va_list args;
  va_start(args, format);
  vsnprintf(e->text, sizeof e->text, format, args);
  va_end(args);
  e->code = code;
  return e;
}

// exhausted is without the name of its status, as XLA's plugins tell a message.
static PJRT_Error *exhausted(size_t bytes) {
  return fail(PJRT_Error_Code_RESOURCE_EXHAUSTED, "Allocation of %zu bytes on device ordinal 0 was refused.", bytes);
}

// refused says what a newer plugin says of a struct that has grown in it.
static PJRT_Error *refused(const char *name, size_t given) {
  const char *strict = getenv("FAKE_PJRT_STRICT");
  if (!strict || (strcmp(strict, name) && !(!strcmp(strict, "1") && !strcmp(name, "PJRT_ExecuteOptions")))) return 0;
  return fail(PJRT_Error_Code_INVALID_ARGUMENT,
    "Unexpected %s size: expected %zu, got %zu. Check installed software versions. The framework PJRT API version is %d.%d.",
    name, given + 8, given, PJRT_API_MAJOR, PJRT_API_MINOR);
}

// take counts n bytes, or says that there are not so many; the caller holds the lock.
static PJRT_Error *take(size_t n) {
  const char *bound = getenv("FAKE_PJRT_BYTES");
  if (bound && live + n > strtoull(bound, 0, 10)) {
    note("{\"call\":\"out of memory\",\"bytes\":%zu,\"live\":%zu}", n, live);
    return exhausted(n);
  }
  live += n;
  if (live > peak) peak = live;
  return 0;
}

static const struct { const char *name; PJRT_Buffer_Type type; size_t width; } types[] = {
  {"f32", PJRT_Buffer_Type_F32, 4}, {"bf16", PJRT_Buffer_Type_BF16, 2}, {"f16", PJRT_Buffer_Type_F16, 2}, {"f64", PJRT_Buffer_Type_F64, 8},
  {"i1", PJRT_Buffer_Type_PRED, 1}, {"i8", PJRT_Buffer_Type_S8, 1}, {"i16", PJRT_Buffer_Type_S16, 2}, {"i32", PJRT_Buffer_Type_S32, 4},
  {"i64", PJRT_Buffer_Type_S64, 8}, {"ui8", PJRT_Buffer_Type_U8, 1}, {"ui16", PJRT_Buffer_Type_U16, 2}, {"ui32", PJRT_Buffer_Type_U32, 4},
  {"ui64", PJRT_Buffer_Type_U64, 8},
};

static size_t width(PJRT_Buffer_Type type) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) if (types[i].type == type) return types[i].width;
  return 0;
}

static Tensor *add(Tensors *list) {
  if (list->n == list->room) list->list = realloc(list->list, (list->room = 2 * list->room + 16) * sizeof(Tensor));
  Tensor *t = &list->list[list->n++];
  memset(t, 0, sizeof *t);
  t->aliases = -1;
  return t;
}

// read_type reads "2x3xf32>" into t; 0 if it is no type that is known here.
static const char *read_type(const char *s, Tensor *t) {
  size_t elements = 1;
  while (*s >= '0' && *s <= '9') {
    if (t->rank == 16) return 0;
    elements *= t->dims[t->rank++] = strtoll(s, (char **)&s, 10);
    if (*s == 'x') s++;
  }
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    size_t n = strlen(types[i].name);
    if (strncmp(s, types[i].name, n) || s[n] != '>') continue;
    t->type = types[i].type;
    t->bytes = elements * types[i].width;
    return s + n + 1;
  }
  return 0;
}

// read_list reads tensors up to the parenthesis that closes the list which s is in, with
// the attributes after each.
static const char *read_list(const char *s, Tensors *list) {
  Tensor *last = 0;
  for (int depth = 1; *s; s++) {
    if (!strncmp(s, "tensor<", 7)) {
      last = add(list);
      if (!(s = read_type(s + 7, last))) return 0;
      s--;
    } else if (last && !strncmp(s, "jax.buffer_donor", 16)) last->donor = 1;
    else if (last && !strncmp(s, "tf.aliasing_output", 18)) last->aliases = strtoll(s + 18 + strspn(s + 18, " ="), 0, 10);
    else if (*s == '"') for (s++; *s && *s != '"'; s++) {}
    else if (*s == '(') depth++;
    else if (*s == ')' && !--depth) return s + 1;
  }
  return 0;
}

static size_t sum(const Tensors *list) {
  size_t n = 0;
  for (size_t i = 0; i < list->n; i++) n += list->list[i].bytes;
  return n;
}

static void error_destroy(PJRT_Error_Destroy_Args *a) { free(a->error); }
static void error_message(PJRT_Error_Message_Args *a) { a->message = a->error->text; a->message_size = strlen(a->error->text); }
static PJRT_Error *error_code(PJRT_Error_GetCode_Args *a) { a->code = a->error->code; return 0; }
static PJRT_Error *initialize(PJRT_Plugin_Initialize_Args *a) { return 0; }
static PJRT_Error *attributes(PJRT_Plugin_Attributes_Args *a) { a->attributes = 0; a->num_attributes = 0; return 0; }
static PJRT_Error *event_destroy(PJRT_Event_Destroy_Args *a) { free(a->event); return 0; }
static PJRT_Error *event_await(PJRT_Event_Await_Args *a) { return 0; }
static PJRT_Error *event_ready(PJRT_Event_IsReady_Args *a) { a->is_ready = 1; return 0; }

static void write_option(FILE *f, const PJRT_NamedValue *v) {
  quote(f, v->name, v->name_size);
  fputc(':', f);
  switch (v->type) {
  case PJRT_NamedValue_kString: quote(f, v->string_value, v->value_size); break;
  case PJRT_NamedValue_kInt64: fprintf(f, "%lld", (long long)v->int64_value); break;
  case PJRT_NamedValue_kFloat: fprintf(f, "%.9g", v->float_value); break;
  case PJRT_NamedValue_kBool: fputs(v->bool_value ? "true" : "false", f); break;
  case PJRT_NamedValue_kInt64List:
    fputc('[', f);
    for (size_t i = 0; i < v->value_size; i++) fprintf(f, "%s%lld", i ? "," : "", (long long)v->int64_array_value[i]);
    fputc(']', f);
  }
}

static void write_variable(FILE *f, const char *key, const char *name) {
  const char *value = getenv(name) ? getenv(name) : "";
  fprintf(f, ",\"%s\":", key);
  quote(f, value, strlen(value));
}

static int visible(const PJRT_Client_Create_Args *a, int64_t id) {
  for (size_t i = 0; i < a->num_options; i++) {
    const PJRT_NamedValue *v = &a->create_options[i];
    if (v->type != PJRT_NamedValue_kInt64List || v->name_size != 15 || strncmp(v->name, "visible_devices", 15)) continue;
    for (size_t k = 0; k < v->value_size; k++) if (v->int64_array_value[k] == id) return 1;
    return 0;
  }
  return 1;
}

static PJRT_Error *client_create(PJRT_Client_Create_Args *a) {
  pthread_mutex_lock(&lock);
  FILE *f = beside("log", "a");
  fputs("{\"call\":\"client\"", f);
  write_variable(f, "xla_flags", "XLA_FLAGS");
  write_variable(f, "library_path", "LD_LIBRARY_PATH");
  fputs(",\"options\":{", f);
  for (size_t i = 0; i < a->num_options; i++) {
    if (i) fputc(',', f);
    write_option(f, &a->create_options[i]);
  }
  fputs("}}\n", f);
  fclose(f);
  pthread_mutex_unlock(&lock);
  PJRT_Client *c = calloc(1, sizeof *c);
  int devices = getenv("FAKE_PJRT_DEVICES") ? atoi(getenv("FAKE_PJRT_DEVICES")) : 1;
  for (int id = 0; id < devices && id < 64; id++) {
    if (!visible(a, id)) continue;
    PJRT_Device *d = c->devices[c->n++] = calloc(1, sizeof *d);
    d->description.id = id;
    snprintf(d->description.text, sizeof d->description.text, "fake card %d", id);
  }
  if (!c->n) { free(c); return fail(PJRT_Error_Code_NOT_FOUND, "No visible GPU devices."); }
  a->client = c;
  return 0;
}

static PJRT_Error *client_destroy(PJRT_Client_Destroy_Args *a) {
  pthread_mutex_lock(&lock);
  note("{\"call\":\"client destroyed\",\"live\":%zu,\"peak\":%zu}", live, peak);
  pthread_mutex_unlock(&lock);
  return 0; // buffers may outlive it, and name its devices
}

static PJRT_Error *platform_name(PJRT_Client_PlatformName_Args *a) { a->platform_name = "cuda"; a->platform_name_size = 4; return 0; }
static PJRT_Error *platform_version(PJRT_Client_PlatformVersion_Args *a) { a->platform_version = "fake"; a->platform_version_size = 4; return 0; }
static PJRT_Error *process_index(PJRT_Client_ProcessIndex_Args *a) { a->process_index = 0; return 0; }
static PJRT_Error *all_devices(PJRT_Client_Devices_Args *a) { a->devices = a->client->devices; a->num_devices = a->client->n; return 0; }
static PJRT_Error *own_devices(PJRT_Client_AddressableDevices_Args *a) { a->addressable_devices = a->client->devices; a->num_addressable_devices = a->client->n; return 0; }
static PJRT_Error *assignment(PJRT_Client_DefaultDeviceAssignment_Args *a) {
  for (size_t i = 0; i < a->default_assignment_size; i++) a->default_assignment[i] = i % a->client->n;
  return 0;
}
static PJRT_Error *device_description(PJRT_Device_GetDescription_Args *a) { a->device_description = &a->device->description; return 0; }
static PJRT_Error *device_addressable(PJRT_Device_IsAddressable_Args *a) { a->is_addressable = 1; return 0; }
static PJRT_Error *device_hardware(PJRT_Device_LocalHardwareId_Args *a) { a->local_hardware_id = a->device->description.id; return 0; }
static PJRT_Error *description_process(PJRT_DeviceDescription_ProcessIndex_Args *a) { a->process_index = 0; return 0; }
static PJRT_Error *description_text(PJRT_DeviceDescription_DebugString_Args *a) {
  a->debug_string = a->device_description->text;
  a->debug_string_size = strlen(a->debug_string);
  return 0;
}

static PJRT_Error *compile(PJRT_Client_Compile_Args *a) {
  PJRT_Executable *e = calloc(1, sizeof *e);
  char *text = strndup(a->program->code, a->program->code_size), *main = strstr(text, "@main("), file[32];
  const char *rest = main ? read_list(main + 6, &e->in) : 0;
  const char *arrow = rest ? strstr(rest, "->") : 0;
  if (!arrow) { free(text); return fail(PJRT_Error_Code_INVALID_ARGUMENT, "the program has no function main of tensors"); }
  for (arrow += 2; *arrow == ' '; arrow++) {}
  int read = *arrow == '(' ? !!read_list(arrow + 1, &e->out) : !strncmp(arrow, "tensor<", 7) && read_type(arrow + 7, add(&e->out));
  if (!read) { free(text); return fail(PJRT_Error_Code_INVALID_ARGUMENT, "the results of main are no tensors"); }
  size_t donors = 0, aliased = 0;
  for (size_t i = 0; i < e->in.n; i++) { donors += e->in.list[i].donor; aliased += e->in.list[i].aliases >= 0; }
  pthread_mutex_lock(&lock);
  e->id = ++programs;
  snprintf(e->name, sizeof e->name, "program-%d", e->id);
  snprintf(file, sizeof file, "%03d.mlir", e->id);
  FILE *f = beside(file, "w");
  fwrite(a->program->code, 1, a->program->code_size, f);
  fclose(f);
  note("{\"call\":\"compile\",\"program\":%d,\"arguments\":%zu,\"argument_bytes\":%zu,\"results\":%zu,\"result_bytes\":%zu,\"donors\":%zu,\"aliases\":%zu}",
    e->id, e->in.n, sum(&e->in), e->out.n, sum(&e->out), donors, aliased);
  pthread_mutex_unlock(&lock);
  free(text);
  PJRT_LoadedExecutable *l = calloc(1, sizeof *l);
  l->executable = e;
  l->device = a->client->devices[0];
  a->executable = l;
  return 0;
}

static PJRT_Error *executable_of(PJRT_LoadedExecutable_GetExecutable_Args *a) { a->executable = a->loaded_executable->executable; return 0; }
static PJRT_Error *executable_name(PJRT_Executable_Name_Args *a) { a->executable_name = a->executable->name; a->executable_name_size = strlen(a->executable->name); return 0; }
static PJRT_Error *executable_results(PJRT_Executable_NumOutputs_Args *a) { a->num_outputs = a->executable->out.n; return 0; }
static PJRT_Error *executable_memory(PJRT_Executable_GetCompiledMemoryStats_Args *a) {
  PJRT_Error *e = refused("PJRT_Executable_GetCompiledMemoryStats_Args", a->struct_size);
  if (e) return e;
  a->argument_size_in_bytes = sum(&a->executable->in);
  a->output_size_in_bytes = sum(&a->executable->out);
  return 0;
}
static PJRT_Error *executable_destroy(PJRT_Executable_Destroy_Args *a) { return 0; } // it is the loaded one's
static PJRT_Error *loaded_destroy(PJRT_LoadedExecutable_Destroy_Args *a) {
  pthread_mutex_lock(&lock);
  note("{\"call\":\"program destroyed\",\"program\":%d}", a->executable->executable->id);
  pthread_mutex_unlock(&lock);
  free(a->executable);
  return 0;
}

static PJRT_Buffer *buffer_of(const Tensor *shape, PJRT_Device *device) {
  PJRT_Buffer *b = calloc(1, sizeof *b);
  b->shape = *shape;
  b->bytes = shape->bytes;
  b->device = device;
  return b;
}

// Contents up to 1 MiB are kept, so that small things that go up come back.
static PJRT_Error *from_host(PJRT_Client_BufferFromHostBuffer_Args *a) {
  Tensor t = {.type = a->type, .rank = a->num_dims, .bytes = width(a->type)};
  for (size_t i = 0; i < t.rank; i++) t.bytes *= t.dims[i] = a->dims[i];
  pthread_mutex_lock(&lock);
  PJRT_Error *e = take(t.bytes);
  if (!e) note("{\"call\":\"upload\",\"bytes\":%zu,\"device\":%d}", t.bytes, a->device ? a->device->description.id : 0);
  pthread_mutex_unlock(&lock);
  if (e) return e;
  a->buffer = buffer_of(&t, a->device ? a->device : a->client->devices[0]);
  if (t.bytes && t.bytes <= 1 << 20) memcpy(a->buffer->data = malloc(t.bytes), a->data, t.bytes);
  a->done_with_host_buffer = calloc(1, sizeof(PJRT_Event));
  return 0;
}

static PJRT_Error *to_host(PJRT_Buffer_ToHostBuffer_Args *a) {
  if (!a->dst) { a->dst_size = a->src->shape.bytes; return 0; }
  if (a->src->data) memcpy(a->dst, a->src->data, a->src->shape.bytes);
  else if (getenv("FAKE_PJRT_NOISE") && a->src->shape.type == PJRT_Buffer_Type_F32)
    for (uint32_t i = 0; i < a->src->shape.bytes / 4; i++) ((float *)a->dst)[i] = (i * 2654435761u >> 8) / 16777216.f;
  else memset(a->dst, 0, a->src->shape.bytes);
  pthread_mutex_lock(&lock);
  note("{\"call\":\"download\",\"bytes\":%zu}", a->src->shape.bytes);
  pthread_mutex_unlock(&lock);
  a->event = calloc(1, sizeof(PJRT_Event));
  return 0;
}

static PJRT_Error *buffer_destroy(PJRT_Buffer_Destroy_Args *a) {
  pthread_mutex_lock(&lock);
  live -= a->buffer->bytes;
  pthread_mutex_unlock(&lock);
  free(a->buffer->data);
  free(a->buffer);
  return 0;
}
static PJRT_Error *buffer_type(PJRT_Buffer_ElementType_Args *a) { a->type = a->buffer->shape.type; return 0; }
static PJRT_Error *buffer_dims(PJRT_Buffer_Dimensions_Args *a) { a->dims = a->buffer->shape.dims; a->num_dims = a->buffer->shape.rank; return 0; }
static PJRT_Error *buffer_device(PJRT_Buffer_Device_Args *a) { a->device = a->buffer->device; return 0; }

static int same_shape(const Tensor *a, const Tensor *b) {
  return a->type == b->type && a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims);
}

// donate gives the memory of marked arguments that the caller does not keep to results;
// it returns the bytes that change hands, and marks the results in taken and the
// arguments in given.
static size_t donate(const PJRT_LoadedExecutable_Execute_Args *a, char *given, char *taken) {
  const PJRT_Executable *e = a->executable->executable;
  const PJRT_ExecuteOptions *o = a->options;
  size_t bytes = 0;
  char *kept = calloc(1, e->in.n + 1);
  for (size_t i = 0; i < o->num_non_donatable_input_indices; i++) kept[o->non_donatable_input_indices[i]] = 1;
  for (size_t i = 0; i < e->in.n; i++) {
    const Tensor *in = &e->in.list[i];
    if (kept[i] || (!in->donor && in->aliases < 0)) continue;
    for (size_t k = 0; k < e->out.n; k++) {
      if (taken[k] || !same_shape(in, &e->out.list[k]) || (in->aliases >= 0 && in->aliases != (int64_t)k)) continue;
      taken[k] = given[i] = 1;
      bytes += in->bytes;
      break;
    }
  }
  free(kept);
  return bytes;
}

static int runs_out(int execution) {
  const char *s = getenv("FAKE_PJRT_OOM");
  while (s && *s) {
    if (strtol(s, (char **)&s, 10) == execution) return 1;
    s += strcspn(s, ",");
    if (*s) s++;
  }
  return 0;
}

static PJRT_Error *execute(PJRT_LoadedExecutable_Execute_Args *a) {
  const PJRT_Executable *e = a->executable->executable;
  PJRT_Error *error = refused("PJRT_ExecuteOptions", a->options->struct_size);
  if (error) return error;
  if (a->num_args != e->in.n) return fail(PJRT_Error_Code_INVALID_ARGUMENT, "%zu arguments for a program of %zu", a->num_args, e->in.n);
  char *given = calloc(1, e->in.n + 1), *taken = calloc(1, e->out.n + 1);
  pthread_mutex_lock(&lock);
  int number = ++executions;
  size_t bytes = donate(a, given, taken);
  if (runs_out(number)) {
    note("{\"call\":\"out of memory\",\"execution\":%d,\"program\":%d,\"live\":%zu}", number, e->id, live);
    error = exhausted(sum(&e->out));
  } else error = take(sum(&e->out) - bytes);
  if (!error) {
    note("{\"call\":\"execute\",\"execution\":%d,\"program\":%d,\"arguments\":%zu,\"results\":%zu,\"donatable\":%zu,\"aliased_bytes\":%zu,\"live\":%zu,\"peak\":%zu}",
      number, e->id, a->num_args, e->out.n, a->num_args - a->options->num_non_donatable_input_indices, bytes, live, peak);
    PJRT_Device *device = a->execute_device ? a->execute_device : a->executable->device;
    for (size_t i = 0; i < e->in.n; i++) if (given[i]) a->argument_lists[0][i]->bytes = 0;
    for (size_t i = 0; i < e->out.n; i++) a->output_lists[0][i] = buffer_of(&e->out.list[i], device);
    if (a->device_complete_events) a->device_complete_events[0] = calloc(1, sizeof(PJRT_Event));
  }
  pthread_mutex_unlock(&lock);
  free(given);
  free(taken);
  if (getenv("FAKE_PJRT_DELAY")) usleep(1000 * atoi(getenv("FAKE_PJRT_DELAY")));
  return error;
}

static PJRT_Error *unimplemented(void *a) { return fail(PJRT_Error_Code_UNIMPLEMENTED, "the fake plugin has no such call"); }

const PJRT_Api *GetPjrtApi(void) {
  static PJRT_Api api;
  if (api.struct_size) return &api;
  for (void **p = (void **)&api.PJRT_Error_Destroy; p < (void **)(&api + 1); p++) *p = (void *)unimplemented;
  api.pjrt_api_version.struct_size = PJRT_Api_Version_STRUCT_SIZE;
  api.pjrt_api_version.major_version = PJRT_API_MAJOR;
  api.pjrt_api_version.minor_version = PJRT_API_MINOR;
  api.PJRT_Error_Destroy = error_destroy;
  api.PJRT_Error_Message = error_message;
  api.PJRT_Error_GetCode = error_code;
  api.PJRT_Plugin_Initialize = initialize;
  api.PJRT_Plugin_Attributes = attributes;
  api.PJRT_Event_Destroy = event_destroy;
  api.PJRT_Event_Await = event_await;
  api.PJRT_Event_IsReady = event_ready;
  api.PJRT_Client_Create = client_create;
  api.PJRT_Client_Destroy = client_destroy;
  api.PJRT_Client_PlatformName = platform_name;
  api.PJRT_Client_PlatformVersion = platform_version;
  api.PJRT_Client_ProcessIndex = process_index;
  api.PJRT_Client_Devices = all_devices;
  api.PJRT_Client_AddressableDevices = own_devices;
  api.PJRT_Client_DefaultDeviceAssignment = assignment;
  api.PJRT_Client_Compile = compile;
  api.PJRT_Client_BufferFromHostBuffer = from_host;
  api.PJRT_Device_GetDescription = device_description;
  api.PJRT_Device_IsAddressable = device_addressable;
  api.PJRT_Device_LocalHardwareId = device_hardware;
  api.PJRT_DeviceDescription_ProcessIndex = description_process;
  api.PJRT_DeviceDescription_DebugString = description_text;
  api.PJRT_LoadedExecutable_GetExecutable = executable_of;
  api.PJRT_LoadedExecutable_Destroy = loaded_destroy;
  api.PJRT_LoadedExecutable_Execute = execute;
  api.PJRT_Executable_Name = executable_name;
  api.PJRT_Executable_NumOutputs = executable_results;
  api.PJRT_Executable_GetCompiledMemoryStats = executable_memory;
  api.PJRT_Executable_Destroy = executable_destroy;
  api.PJRT_Buffer_ToHostBuffer = to_host;
  api.PJRT_Buffer_Destroy = buffer_destroy;
  api.PJRT_Buffer_ElementType = buffer_type;
  api.PJRT_Buffer_Dimensions = buffer_dims;
  api.PJRT_Buffer_Device = buffer_device;
  api.struct_size = PJRT_Api_STRUCT_SIZE;
  return &api;
}
