import { expect, test } from 'vitest'
import { encodeG711 } from '../../src/audio/encode-g711.ts'

const ALL = Int16Array.from({ length: 2 ** 16 }, (_, index) => index - 2 ** 15)

/** The value that a code stands for, and half of the step around it, on a scale of 16 bits. */
type Decoded = readonly [value: number, half: number]

/** ITU-T G.711, table 2a. */
const decodeUlaw = (code: number): Decoded => {
  const inverted = ~code & 0xff
  const segment = (inverted >> 4) & 7
  const magnitude = ((((inverted & 15) << 1) + 33) << segment) - 33
  return [(inverted & 0x80 ? -magnitude : magnitude) * 4, (1 << segment) * 4]
}

/** Table 1a. */
const decodeAlaw = (code: number): Decoded => {
  const toggled = code ^ 0x55
  const segment = (toggled >> 4) & 7
  const step = ((toggled & 15) << 1) + 1
  const magnitude = segment === 0 ? step : (step + 32) << (segment - 1)
  return [(toggled & 0x80 ? magnitude : -magnitude) * 8, (1 << Math.max(0, segment - 1)) * 8]
}

test.each([
  ['ulaw', decodeUlaw, 8031 * 4],
  ['alaw', decodeAlaw, 4032 * 8],
] as const)(
  '%s: a sample gets the code in whose step it lies, and the loudest ones the last',
  (law, decode, largest) => {
    const codes = encodeG711(law).push(ALL, true)
    const far = [...ALL].filter((sample, at) => {
      const [value, half] = decode(codes[at]!)
      // The laws see 14 and 13 bits of the sample.
      return Math.abs(value - sample) > half + 4 && Math.abs(value) !== largest
    })
    expect(far).toEqual([])
    expect([decode(codes[0]!)[0], decode(codes.at(-1)!)[0]]).toEqual([-largest, largest])
    expect(new Set(codes).size).toBeGreaterThanOrEqual(255)
  },
)

test('the codes of known samples are those that SoX writes', () => {
  const samples = Int16Array.of(0, 32_767, -32_768, 1000, -1000)
  expect([...encodeG711('ulaw').push(samples, true)]).toEqual([0xff, 0x80, 0x00, 0xce, 0x4e])
  expect([...encodeG711('alaw').push(samples, true)]).toEqual([0xd5, 0xaa, 0x2a, 0xfa, 0x7a])
})
