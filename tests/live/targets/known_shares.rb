# Runs functions that measure their own CPU time, and writes it as JSON to the standard error.
# ruby known_shares.rb SECONDS

require "json"

def cpu_s = Process.clock_gettime(Process::CLOCK_THREAD_CPUTIME_ID)

$used = Hash.new(0.0)

def measured(name)
  begin_s = cpu_s
  yield
  $used[name] += cpu_s - begin_s
end

def fib(n) = n < 2 ? n : fib(n - 1) + fib(n - 2)

class Shape
  attr_reader :side

  def initialize(side)
    @side = side
  end

  def area
    side * side
  end

  def self.total(shapes)
    shapes.sum(&:area)
  end
end

module Text
  def self.matches(text)
    text.scan(/[a-z]+[0-9]{2,}/).size
  end
end

def classes = Shape.total(Array.new(2_000) { |side| Shape.new(side) })

def sorting = (0...2_000).map { |i| (i * 7_919) % 2_003 }.sort { |a, b| b <=> a }

def json_text = JSON.parse(JSON.generate((0...300).map { |i| { "id" => i, "text" => "row #{i}" } }))

def generator
  numbers = Enumerator.new { |out| 400.times { |i| out << i } }
  loop { numbers.next }
end

def closures
  adders = (0...20).map { |i| ->(x) { x + i } }
  200.times { |x| adders.each { |adder| adder.call(x) } }
end

def exceptions
  400.times do
    raise ArgumentError, "no"
  rescue ArgumentError
    nil
  end
end

def garbage = Array.new(3_000) { |i| [i, "text #{i}"] }.last

def grösse = (1..2_000).inject { |a, b| (a * 31 + b) & 0xffff }

TEXT = "word12 other345 no 99 " * 200
LOADS = {
  "fib" => -> { fib(18) },
  "classes" => -> { classes },
  "sorting" => -> { sorting },
  "json_text" => -> { json_text },
  "generator" => -> { generator },
  "closures" => -> { closures },
  "exceptions" => -> { exceptions },
  "garbage" => -> { garbage },
  "matches" => -> { Text.matches(TEXT) },
  "grösse" => -> { grösse }
}.freeze

end_s = cpu_s + Float(ARGV.fetch(0))
LOADS.each { |name, load| measured(name, &load) } while cpu_s < end_s
warn JSON.generate($used)
