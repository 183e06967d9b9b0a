import { describe, expect, test } from 'vitest'
import { joinNumber } from '../../../../src/engines/espeak/japanese/japanese-numbers.ts'

const join = (...texts: string[]) => joinNumber(texts.map((text) => ({ text, taken: 1 })))

describe('a number is all that is written of it', () => {
  test.each([
    [['5', '万'], '50000'],
    [['2', '億', '3000', '万'], '230000000'],
    [['1', '千', '万'], '10000000'],
    [['1,234', '万'], '12340000'],
    [['1', '万', '2', '千', '3', '百', '4'], '12304'],
    [[...'二十五万'], '250000'],
    [[...'三千三百三十三'], '3333'],
    [[...'二〇二六'], '2026'],
    [[...'二五〇万'], '2500000'],
    [['0123'], '0123'],
    [['05', '万'], '50000'],
  ])('%j', (texts, digits) => expect(join(...texts)).toEqual({ digits, taken: texts.length }))

  test.each([
    [[...'数万'], '数0000'],
    [[...'何百'], '何00'],
    [[...'十数'], '1数'],
    [[...'百数十'], '1数0'],
    [['20', '数'], '2数'],
    [[...'数十万'], '数00000'],
  ])('with an unnamed digit: %j', (texts, digits) => expect(join(...texts)).toEqual({ digits, taken: texts.length }))

  test.each([
    [['3.5', '万'], '3.5万'],
    [['1.2', '千', '億'], '1.2千億'],
    [['0', '万'], '0万'],
    [['123456789012345678901', '万'], '123456789012345678901万'],
  ])('with its units behind it where it has no places: %j', (texts, digits) =>
    expect(join(...texts)).toEqual({ digits, taken: texts.length }),
  )
})

test.each([
  [['百', '1234'], '100', 1],
  [[...'千千'], '1000', 1],
  [['2', '億', '3.5', '万'], '200000000', 2],
  [['5', '数'], '5', 1],
  [[...'二三十'], '2', 1],
  [['五', '3'], '5', 1],
])('what does not belong to a number is left: %j', (texts, digits, taken) =>
  expect(join(...texts)).toEqual({ digits, taken }),
)

test('a unit of ten thousand and more alone is no number', () => {
  expect(join('万')).toBeNull()
  expect(join('億', '万')).toBeNull()
  expect(join()).toBeNull()
})

test('no more is asked for than the number needs', () => {
  let asked = 0
  const pieces = function* () {
    for (; ; asked++) yield { text: '千', taken: 1 }
  }
  expect(joinNumber(pieces())).toEqual({ digits: '1000', taken: 1 })
  expect(asked).toBe(1)
})
