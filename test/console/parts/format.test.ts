import { expect, test } from 'vitest'
import { ago, bytes, duration, initial, playTime, share, shortId, typable } from '../../../src/console/parts/format.ts'

test.each([
  [null, '–'],
  [-5, '0 s'],
  [0, '0 s'],
  [0.3, '<1 ms'],
  [240, '240 ms'],
  [999.7, '1.0 s'],
  [3400, '3.4 s'],
  [59_600, '1 min'],
  [125_000, '2 min 5 s'],
  [3_780_000, '1 h 3 min'],
])('%s milliseconds are %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})

test('times ahead of this clock are now, and others are as long ago as they are', () => {
  const now = Date.parse('2026-11-22T12:00:00Z')
  expect(['2026-11-22T12:00:03Z', '2026-11-22T11:57:00Z', '2026-11-20T12:00:00Z'].map((at) => ago(at, now))).toEqual([
    'now',
    expect.stringContaining('3'),
    expect.stringContaining('2'),
  ])
})

test('ids keep their beginning and their end, sizes and play times are short', () => {
  expect(shortId('job_01m810g6t8e55rd3qngszc123q')).toBe('job_01m8…zc123q')
  expect([bytes(12), bytes(2048), playTime(65), playTime(Number.NaN)]).toEqual(['12 B', '2.0 KiB', '1:05', '–:––'])
})

test('a share is all of it, or none, of nothing else', () => {
  expect([0, 0.0003, 0.5, 0.9997, 1].map(share)).toEqual(['0%', '0.1%', '50%', '99.9%', '100%'])
})

test('the first letter of a name is a whole one', () => {
  const names = ['northwind', ' élan', 'e\u0301lan', '🎙️ studio', '🇫🇷 Paris', '\u202eevil', '']
  expect(names.map(initial)).toEqual(['N', 'É', 'E\u0301', '🎙️', '🇫🇷', 'E', ''])
})

test.each([
  ['signed \u202Egnp.exe', 'signed gnp.exe'],
  ['🎙\uFE0F\u00A0 studio\u200B', '🎙 studio'],
  ['a\uFEFF \u2060 b', 'a b'],
  ['Cafe\u200D\u0301', 'Caf\u00E9'],
  ['\u3164\u2800\u2003\u00AD', ''],
])('of %j what can be typed is %j', (name, text) => {
  expect(typable(name)).toBe(text)
})
