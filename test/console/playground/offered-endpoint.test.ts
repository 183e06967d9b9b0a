import { describe, expect, test } from 'vitest'
import { chosenEndpoint, offeredEndpoint, servedFirst } from '../../../src/console/playground/offered-endpoint.ts'

const OWN = 'voice_01jd5y6k2qe8zv3m4n7p9r1s2t'

const endpoint = (slug: string, isServed: boolean | null, voices: readonly string[] = [], libraryVoices = false) => ({
  slug,
  isServed,
  libraryVoices,
  voices: voices.map((voice) => ({ slug: voice })),
})
const [idle, cold, busy, unknown] = [
  endpoint('idle', false),
  endpoint('cold', false),
  endpoint('busy', true),
  endpoint('unknown', null),
]

test('endpoints that no worker serves stand at the end of the choice', () => {
  expect(servedFirst([idle, busy, cold, unknown])).toEqual([busy, unknown, idle, cold])
})

describe('the endpoint that is offered', () => {
  test('is the first that a worker serves, and the first of all where none is served', () => {
    expect(offeredEndpoint([idle, busy, unknown], {})).toBe(busy)
    expect(offeredEndpoint([idle, cold], {})).toBe(idle)
    expect(offeredEndpoint([], {})).toBeUndefined()
  })

  test('is one of which that is not known, before those that are not served', () => {
    expect(offeredEndpoint([idle, unknown, busy], {})).toBe(unknown)
  })

  test('is the first that has the voice of the address, served or not', () => {
    const [mute, first, second] = [
      endpoint('mute', true),
      endpoint('first', false, ['calm']),
      endpoint('2', true, ['calm']),
    ]
    expect(offeredEndpoint([mute, first, second], { voice: 'calm' })).toBe(first)
    expect(offeredEndpoint([mute, second, first], { voice: 'calm' })).toBe(second)
  })

  test('is not found by the voice of an address that names an endpoint', () => {
    expect(offeredEndpoint([endpoint('first', false, ['calm']), busy], { endpoint: 'gone', voice: 'calm' })).toBe(busy)
  })

  test("is the first that may have an account's own voice", () => {
    const library = endpoint('library', false, [], true)
    expect(offeredEndpoint([busy, library], { voice: OWN })).toBe(library)
  })

  test('is the first that a worker serves where none has the voice of the address', () => {
    expect(offeredEndpoint([idle, busy, endpoint('library', true, ['loud'], true)], { voice: 'calm' })).toBe(busy)
    expect(offeredEndpoint([idle, busy], { voice: OWN })).toBe(busy)
    expect(offeredEndpoint([endpoint('idle', false, ['']), busy], { voice: '' })).toBe(busy)
  })
})

describe('the endpoint that is chosen', () => {
  test('is the one of the address, served or not, and else the one that was offered, whatever is served since', () => {
    expect(chosenEndpoint([idle, busy], 'idle', 'busy')).toBe(idle)
    expect(chosenEndpoint([busy, idle], undefined, 'idle')).toBe(idle)
    expect(chosenEndpoint([busy, idle], 'gone', 'idle')).toBe(idle)
  })

  test('is the first one where neither is there any more', () => {
    expect(chosenEndpoint([busy, idle], 'gone', 'gone as well')).toBe(busy)
    expect(chosenEndpoint([], 'gone', undefined)).toBeUndefined()
  })
})
