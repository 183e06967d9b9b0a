import { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { openBodyBudget } from '../../src/http/body-budget.ts'

const MIB = 1024 * 1024
const requestOf = (headers: IncomingHttpHeaders) => Object.assign(new EventEmitter(), { headers }) as IncomingMessage
/** The response is the request itself: it closes, and the request ends. */
function openBudget() {
  const { admit } = openBodyBudget()
  return {
    admit: (request: IncomingMessage, address: string, limit = 16 * MIB) =>
      admit(request, request as unknown as ServerResponse, address, limit),
  }
}
const ofLength = (bytes: number) => requestOf({ 'content-length': String(bytes) })
const CHUNKED = { 'transfer-encoding': 'chunked' }

describe('the bodies that are being received', () => {
  test('are 128 MiB of a network, the next one is refused until one of them is whole, and small ones are not counted', () => {
    const { admit } = openBudget()
    const network = (n: number) => `2001:db8::${n.toString(16)}`
    // A body in chunks counts for what its route takes.
    const requests = Array.from({ length: 16 }, () => [ofLength(4 * MIB), requestOf(CHUNKED)]).flat()
    expect(requests.map((request, n) => admit(request, network(n), 4 * MIB))).toEqual(requests.map(() => null))
    expect(admit(ofLength(MIB), network(500))).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 })
    expect(admit(requestOf(CHUNKED), network(500))).toMatchObject({ code: 'RATE_LIMITED' })
    expect(admit(ofLength(60_000), network(500))).toBeNull()
    expect(admit(requestOf({}), network(500))).toBeNull()
    requests[0]!.emit('end')
    requests[0]!.emit('close')
    expect(admit(ofLength(4 * MIB), network(500))).toBeNull()
    expect(admit(ofLength(MIB), network(500))).toMatchObject({ code: 'RATE_LIMITED' })
    requests[1]!.emit('close')
    expect(admit(ofLength(MIB), network(500))).toBeNull()
  })

  test('are 256 MiB of all together', () => {
    const { admit } = openBudget()
    const requests = Array.from({ length: 256 }, () => ofLength(MIB))
    expect(requests.map((request, n) => admit(request, `192.0.2.${n}`))).toEqual(requests.map(() => null))
    expect(admit(ofLength(MIB), '203.0.113.1')).toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 1 })
    requests[0]!.emit('close')
    expect(admit(ofLength(MIB), '203.0.113.1')).toBeNull()
  })

  test('take no more of it than any may hold, whatever length they declare: theirs is refused elsewhere', () => {
    const { admit } = openBudget()
    expect(admit(ofLength(10 ** 12), '192.0.2.1')).toBeNull()
    expect(admit(ofLength(100 * MIB), '192.0.2.1')).toBeNull()
  })

  test('of routes that ask for a key afterwards take nothing of the others', () => {
    const { admit } = openBudget()
    const anonymous = Array.from({ length: 3000 }, (_, n) => admit(requestOf(CHUNKED), `192.0.${n % 4}.1`, 102_400))
    expect(anonymous.filter((answer) => answer === null)).toHaveLength(2048)
    expect(admit(requestOf(CHUNKED), '192.0.1.1', 102_400)).toMatchObject({ code: 'UNAVAILABLE' })
    expect(admit(requestOf(CHUNKED), '192.0.1.1', MIB)).toBeNull()
    expect(admit(ofLength(60_000), '192.0.1.1', 102_400)).toBeNull()
  })
})
