package weights

// The values that a pickle makes. They are not copied when they are used twice, so that their
// memory is limited by the pickle's length.
type (
	tuple []any
	list  struct{ items []any }
	dict  struct{ keys, values []any }
	long  string // an integer of more than eight bytes, as written
	mark  struct{}
)

// set adds an item. A duplicate key is kept twice; the later one counts.
func (d *dict) set(key, value any) {
	d.keys, d.values = append(d.keys, key), append(d.values, value)
}

// get returns the value of a text key.
func (d *dict) get(key string) any {
	for i := len(d.keys) - 1; i >= 0; i-- {
		if d.keys[i] == any(key) {
			return d.values[i]
		}
	}
	return nil
}

// kindOf describes the type of a value. It does not look inside, since a list may contain itself.
func kindOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "None"
	case bool:
		return "a truth value"
	case int64, float64, long:
		return "a number"
	case string:
		return "a text"
	case []byte:
		return "bytes"
	case tuple:
		return "a tuple"
	case *list:
		return "a list"
	case *dict:
		return "a dict"
	case class:
		return v.name
	case *storage:
		return "a storage"
	case *pickledTensor:
		return "a tensor"
	}
	return "a mark"
}
