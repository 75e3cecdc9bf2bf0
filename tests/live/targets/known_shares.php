<?php
// Runs functions that measure their own CPU time, and writes it as JSON to the standard error.
// php known_shares.php SECONDS

function cpu_s(): float
{
    $usage = getrusage();
    return $usage['ru_utime.tv_sec'] + $usage['ru_utime.tv_usec'] / 1e6
        + $usage['ru_stime.tv_sec'] + $usage['ru_stime.tv_usec'] / 1e6;
}

function fib(int $n): int
{
    return $n < 2 ? $n : fib($n - 1) + fib($n - 2);
}

class Shape
{
    public function __construct(private int $side)
    {
    }

    public function area(): int
    {
        return $this->side * $this->side;
    }

    public static function total(array $shapes): int
    {
        $sum = 0;
        foreach ($shapes as $shape) {
            $sum += $shape->area();
        }
        return $sum;
    }
}

function classes(): int
{
    $shapes = [];
    for ($i = 0; $i < 20000; $i++) {
        $shapes[] = new Shape($i);
    }
    return Shape::total($shapes);
}

function sorting(): array
{
    $numbers = [];
    for ($i = 0; $i < 20000; $i++) {
        $numbers[] = ($i * 7919) % 20011;
    }
    usort($numbers, fn (int $a, int $b): int => $b <=> $a);
    return $numbers;
}

function matching(): int
{
    return preg_match_all('/[a-z]+[0-9]{2,}/', str_repeat('word12 other345 no 99 ', 4000));
}

function json_text(): array
{
    $rows = [];
    for ($i = 0; $i < 4000; $i++) {
        $rows[] = ['id' => $i, 'text' => "row $i"];
    }
    return json_decode(json_encode($rows), true);
}

function numbers(int $count): Generator
{
    for ($i = 0; $i < $count; $i++) {
        yield $i;
    }
}

function generator(): int
{
    $sum = 0;
    foreach (numbers(40000) as $number) {
        $sum += $number;
    }
    return $sum;
}

function closures(): array
{
    $factor = 3;
    return array_map(function (int $value) use ($factor): int {
        return $value * $factor;
    }, range(1, 20000));
}

function exceptions(): int
{
    $caught = 0;
    for ($i = 0; $i < 8000; $i++) {
        try {
            throw new RuntimeException('no');
        } catch (RuntimeException) {
            $caught++;
        }
    }
    return $caught;
}

function größe(): int
{
    $value = 1;
    for ($i = 0; $i < 60000; $i++) {
        $value = ($value * 31 + $i) & 0xffff;
    }
    return $value;
}

$loads = [
    'fib' => fn () => fib(20), 'classes' => 'classes', 'sorting' => 'sorting',
    'matching' => 'matching', 'json_text' => 'json_text', 'generator' => 'generator',
    'closures' => 'closures', 'exceptions' => 'exceptions', 'größe' => 'größe',
];
$used = array_fill_keys(array_keys($loads), 0.0);
$end_s = cpu_s() + (float) $argv[1];
while (cpu_s() < $end_s) {
    foreach ($loads as $name => $load) {
        $begin_s = cpu_s();
        $load();
        $used[$name] += cpu_s() - $begin_s;
    }
}
fwrite(STDERR, json_encode($used, JSON_UNESCAPED_UNICODE) . "\n");
