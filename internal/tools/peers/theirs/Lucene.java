import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.queryparser.classic.QueryParser;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;

/** Indexes texts in memory and searches them by BM25, on several threads. */
public class Lucene {
  private static final int CHECKED = 10;

  private final Path folder;
  private final int threads, warm, timed, depth;
  private final List<String> documents, queries;
  private final ExecutorService pool;

  private Lucene(Path folder) throws Exception {
    this.folder = folder;
    String job = Files.readString(folder.resolve("job.json"));
    threads = number(job, "threads");
    warm = number(job, "warm") + 1; // for Java's compiler
    timed = number(job, "timed");
    depth = number(job, "depth");
    documents = Files.readAllLines(folder.resolve("documents.txt"));
    queries = Files.readAllLines(folder.resolve("queries.txt"));
    pool = Executors.newFixedThreadPool(threads);
  }

  private static int number(String job, String key) {
    Matcher found = Pattern.compile("\"" + key + "\":(\\d+)").matcher(job);
    if (!found.find()) throw new IllegalArgumentException("the job has no " + key);
    return Integer.parseInt(found.group(1));
  }

  private interface Work {
    void on(int thread) throws Exception;
  }

  private void everywhere(Work work) throws Exception {
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int thread = i;
      running.add(pool.submit(() -> {
        work.on(thread);
        return null;
      }));
    }
    for (Future<?> one : running) one.get();
  }

  private ByteBuffersDirectory index() throws Exception {
    ByteBuffersDirectory directory = new ByteBuffersDirectory();
    IndexWriterConfig config = new IndexWriterConfig(new EnglishAnalyzer());
    config.setRAMBufferSizeMB(512);
    config.setSimilarity(new BM25Similarity(0.9f, 0.4f));
    try (IndexWriter writer = new IndexWriter(directory, config)) {
      everywhere(thread -> {
        for (int i = thread; i < documents.size(); i += threads) {
          Document document = new Document();
          document.add(new StringField("id", Integer.toString(i), Field.Store.YES));
          document.add(new TextField("text", documents.get(i), Field.Store.NO));
          writer.addDocument(document);
        }
      });
      writer.forceMerge(1);
    }
    return directory;
  }

  private IndexSearcher searcher(ByteBuffersDirectory directory) throws Exception {
    IndexSearcher searcher = new IndexSearcher(DirectoryReader.open(directory));
    searcher.setSimilarity(new BM25Similarity(0.9f, 0.4f));
    return searcher;
  }

  private TopDocs[] search(IndexSearcher searcher) throws Exception {
    TopDocs[] found = new TopDocs[queries.size()];
    everywhere(thread -> {
      QueryParser parser = new QueryParser("text", new EnglishAnalyzer());
      for (int i = thread; i < found.length; i += threads) {
        found[i] = searcher.search(parser.parse(QueryParser.escape(queries.get(i))), depth);
      }
    });
    return found;
  }

  private void keep(IndexSearcher searcher, TopDocs[] found) throws Exception {
    StringBuilder json = new StringBuilder("[");
    for (TopDocs one : found) {
      if (json.length() > 1) json.append(",");
      List<String> hits = new ArrayList<>();
      for (ScoreDoc hit : Arrays.copyOf(one.scoreDocs, Math.min(CHECKED, one.scoreDocs.length))) {
        hits.add("{\"id\":\"" + searcher.storedFields().document(hit.doc).get("id") + "\",\"score\":" + hit.score + "}");
      }
      json.append("[").append(String.join(",", hits)).append("]");
    }
    Files.writeString(folder.resolve("bm25_lucene.json"), json.append("]"));
  }

  private void run() throws Exception {
    List<String> indexed = new ArrayList<>(), searched = new ArrayList<>();
    for (int i = 0; i < warm + timed; i++) {
      long start = System.nanoTime();
      ByteBuffersDirectory directory = index();
      long middle = System.nanoTime();
      IndexSearcher searcher = searcher(directory);
      TopDocs[] found = search(searcher);
      long end = System.nanoTime();
      if (i >= warm) {
        indexed.add(String.format(Locale.ROOT, "%.6f", (middle - start) / 1e9));
        searched.add(String.format(Locale.ROOT, "%.6f", (end - middle) / 1e9));
      }
      if (i == 0 && System.getenv("PEERS_CHECK") != null) keep(searcher, found);
    }
    pool.shutdown();
    System.out.println("peers: {\"seconds\":{\"index\":" + indexed + ",\"search\":" + searched + "},\"version\":\"" + IndexWriter.class.getPackage().getImplementationVersion().split(" ")[0] + "\"}");
  }

  public static void main(String[] args) throws Exception {
    new Lucene(Path.of(args[0])).run();
  }
}
