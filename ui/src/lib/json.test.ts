import { describe as about, expect, test } from 'vitest';
import { Broken, isBroken, isSame, type Members, Num, parse, write } from './json';

about('JSON without loss', () => {
  test.each(['12345678901234567890123', '1.0', '-0', '1e400', '0.1000'])('the number %s keeps its digits', (text) => {
    expect(write(parse(`{"n": ${text}}`))).toBe(`{"n": ${text}}`);
  });
  test('names keep their order, also numbers and __proto__', () => {
    const text = '{"2": 1, "1": 2, "__proto__": {"a": null}, "constructor": []}';
    expect(write(parse(text))).toBe(text);
  });
  test('it reads what JSON.parse reads', () => {
    const text = ' [ "a\\u00e9\\n\\"/", true , false,null, {"": []}, {}, -1.5E-7 ] ';
    expect(JSON.parse(write(parse(text)))).toEqual(JSON.parse(text));
  });
  test.each(['', '{', '[1,]', '{"a" 1}', '{a: 1}', '01', '1.', '+1', 'NaN', "'a'", '"\n"', '"\\x"', '1 2', 'nul', '[1 2]', '{"a": 1,}'])('%j is refused', (text) => {
    expect(() => parse(text)).toThrow(/^Line \d+, column \d+: /);
  });
  test('a name that is there twice is refused where it is', () => {
    expect(() => parse('{"a": 1,\n "a": 2}')).toThrow('Line 2, column 2: the name "a" is there twice.');
  });
  test('depth ends in an error, not in a crash', () => {
    expect(() => parse('['.repeat(100_000))).toThrow('nested too deep');
  });
  test('what is not JSON yet is written as it is', () => {
    const value: Members = new Map([['a', new Broken('{"x":')]]);
    expect(write(value)).toBe('{"a": {"x":}');
    expect([isBroken(value), isBroken(parse('{"a": [1]}'))]).toEqual([true, false]);
  });
  test('it writes over several lines', () => {
    expect(write(parse('{"a":[1,{}],"b":{"c":null}}'), 2)).toBe('{\n  "a": [\n    1,\n    {}\n  ],\n  "b": {\n    "c": null\n  }\n}');
  });
  test('the order of names means nothing, that of items does', () => {
    expect(isSame(parse('{"a": {"b": 1, "c": 2}, "d": 3}'), parse('{"d": 3, "a": {"c": 2, "b": 1}}'))).toBe(true);
    expect(isSame(parse('[1, 2]'), parse('[2, 1]'))).toBe(false);
  });
  test('two numbers of the same value and another text differ', () => {
    expect([isSame(new Num('1'), new Num('1')), isSame(new Num('1'), new Num('1.0')), isSame(undefined, null)]).toEqual([true, false, false]);
  });
});
