// Functions whose loads are known. The name of a function says what it may read: the fields in
// test_accessed_fields.py. Traps are marked: code where a plausible type would be wrong.
#include <stddef.h>
#include <stdint.h>

struct order {
  struct order* next;
  int amount;
  short parts[4];
  struct {
    int day, month;
  } due;
};
struct customer {
  char name[16];
  struct order* first;
  double balance;
};
struct header {
  uint64_t length, kind;
};
struct payload {
  uint64_t first_word, second_word;
};
union number {
  uint64_t whole;
  double real;
};
typedef struct {
  int x, y;
} point;

struct customer everybody[16];
int totals[64];

__attribute__((noinline)) int walk(const struct order* order) {
  int sum = 0;
  for (; order; order = order->next) sum += order->amount;
  return sum;
}
__attribute__((noinline)) int nested(const struct order* order) { return order->due.month; }
__attribute__((noinline)) int through_pointer(struct customer* customer) {
  return customer->first->amount;
}
__attribute__((noinline)) int element(const struct order* order, int i) { return order->parts[i]; }
__attribute__((noinline)) double array_of_structures(const struct customer* customers, long n) {
  double sum = 0;
  for (long i = 0; i < n; ++i) sum += customers[i].balance;
  return sum;
}
__attribute__((noinline)) double global_structure(int i) { return everybody[i].balance; }
__attribute__((noinline)) int global_array(int i) { return totals[i]; }
__attribute__((noinline)) int alias(const point* points, int i) { return points[i].y; }
// Trap: the data behind a header are not a second header.
__attribute__((noinline)) uint64_t after_header(const struct header* header) {
  const struct payload* payload = (const struct payload*)(header + 1);
  return payload->second_word;
}
// Trap: the structure around a member.
__attribute__((noinline)) double container(struct order** first) {
  struct customer* customer =
      (struct customer*)((char*)first - offsetof(struct customer, first));
  return customer->balance;
}
// Trap: one of two types, by a condition.
__attribute__((noinline)) uint64_t either(const struct header* header,
                                          const struct payload* payload, int which) {
  const void* chosen = which ? (const void*)header : (const void*)payload;
  uint64_t value;
  __builtin_memcpy(&value, (const char*)chosen + 8, 8);
  return value;
}
// Trap: members of a union at the same place.
__attribute__((noinline)) uint64_t of_union(const union number* number) { return number->whole; }
// Trap: bytes of no type.
__attribute__((noinline)) uint64_t untyped_bytes(const char* bytes) {
  uint64_t value;
  __builtin_memcpy(&value, bytes, 8);
  return value;
}

int main(int argc, char** argv) {
  struct order order = {0, argc, {1, 2, 3, 4}, {5, 6}};
  union number number = {.whole = 7};
  uint64_t words[4] = {1, 2, 3, 4};
  point points[2] = {{1, 2}, {3, 4}};
  everybody[0].first = &order;
  double sum = walk(&order) + nested(&order) + through_pointer(everybody) + element(&order, 1);
  sum += array_of_structures(everybody, 4) + global_structure(argc) + global_array(argc);
  sum += (double)after_header((void*)words) + container(&everybody[0].first) + alias(points, 1);
  sum += (double)either((void*)words, (void*)words, argc) + (double)of_union(&number);
  return sum + (double)untyped_bytes((char*)argv) > 1e9;
}
