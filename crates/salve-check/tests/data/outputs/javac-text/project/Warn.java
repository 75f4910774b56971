import java.util.*;
public class Warn {
    List raw = new ArrayList();
    void go() { raw.add("x"); Thread.currentThread().stop(); }
}
