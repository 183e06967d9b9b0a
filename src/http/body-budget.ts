import type { IncomingMessage, ServerResponse } from 'node:http'
import { Tally } from '../concurrency/tally.ts'
import { networkOf } from '../egress/ip-ranges.ts'
import { ServiceError, unavailable } from '../errors/service-error.ts'

const UNIT_BYTES = 64 * 1024
/** All bodies in flight: 256 MiB. One network gets half. */
const MAX_UNITS = 4096
/** Routes up to this limit authenticate after the body, so they have a budget of their own. */
const SMALL_BYTES = 128 * 1024
const MAX_SMALL_UNITS = 2048
const RETRY_AFTER_SECONDS = 1

interface BodyBudget {
  /**
   * Reserves memory for a body by its declared length until it is received or answered.
   * @returns RATE_LIMITED if its network holds too much, UNAVAILABLE if all do, else null
   */
  admit(request: IncomingMessage, response: ServerResponse, address: string, limitBytes: number): ServiceError | null
}

export function openBodyBudget(): BodyBudget {
  const [small, large] = [new Tally(), new Tally()]
  return {
    admit: (request, response, address, limitBytes) => {
      const size = Math.floor(heldBytes(request, limitBytes) / UNIT_BYTES)
      if (size === 0) return null
      const [units, most] = limitBytes <= SMALL_BYTES ? [small, MAX_SMALL_UNITS] : [large, MAX_UNITS]
      const network = networkOf(address)
      if (units.of(network) + size > most / 2) return tooMuch()
      if (units.total + size > most) return unavailable('too many large bodies are being received')
      const received = units.addMany(size, network)
      request.once('end', received)
      response.once('close', received)
      return null
    },
  }
}

/** A chunked body may grow to the route's limit. */
const heldBytes = ({ headers }: IncomingMessage, limitBytes: number): number =>
  headers['transfer-encoding'] === undefined ? Math.min(Number(headers['content-length'] ?? 0), limitBytes) : limitBytes

const tooMuch = () =>
  new ServiceError('RATE_LIMITED', 'Finish sending the other large bodies first.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
