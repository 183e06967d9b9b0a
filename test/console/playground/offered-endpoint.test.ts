import { describe, expect, test } from 'vitest'
import { chosenEndpoint, offeredEndpoint } from '../../../src/console/playground/offered-endpoint.ts'

const endpoint = (slug: string, isServed: boolean | null) => ({ slug, isServed })
const [idle, cold, busy, unknown] = [
  endpoint('idle', false),
  endpoint('cold', false),
  endpoint('busy', true),
  endpoint('unknown', null),
]

describe('the endpoint that is offered', () => {
  test('is the first that a worker serves, and the first of all where none is served', () => {
    expect(offeredEndpoint([idle, busy, unknown])).toBe(busy)
    expect(offeredEndpoint([idle, cold])).toBe(idle)
    expect(offeredEndpoint([])).toBeUndefined()
  })

  test('is one of which that is not known, before those that are not served', () => {
    expect(offeredEndpoint([idle, unknown, busy])).toBe(unknown)
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
