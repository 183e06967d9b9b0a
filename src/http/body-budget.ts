import type { IncomingMessage, ServerResponse } from 'node:http'
import { Tally } from '../concurrency/tally.ts'
import { networkOf } from '../egress/network-of.ts'
import { ServiceError, unavailable } from '../errors/service-error.ts'
import { MAX_LIST_BYTES } from './json-body.ts'
import { MAX_FORM_BYTES } from './multipart-body.ts'

/** What bodies are counted in. A smaller one is not counted: the headers of its request take as much. */
const UNIT_BYTES = 64 * 1024
/** Of all bodies that are being received, however slowly: 256 MiB. */
const MAX_UNITS = 4096
/** Of those of one network. */
const MAX_UNITS_PER_NETWORK = 2048
const RETRY_AFTER_SECONDS = 1

/** How much of the memory of this process the bodies take that are being received: each is held until it is whole. */
interface BodyBudget {
  /**
   * Counts a request's body, by the length that its headers declare, until it has been received, or answered: what comes of it then is not
   * held. A request whose answer is out has no end and no close where the rest of its body never comes.
   * @returns RATE_LIMITED where its network's bodies take too much, UNAVAILABLE where all of them do, else null
   */
  admit(request: IncomingMessage, response: ServerResponse, address: string): ServiceError | null
}

export function openBodyBudget(): BodyBudget {
  const units = new Tally()
  return {
    admit: (request, response, address) => {
      const size = Math.floor(declaredBytes(request) / UNIT_BYTES)
      if (size === 0) return null
      const network = networkOf(address)
      if (units.of(network) + size > MAX_UNITS_PER_NETWORK) return tooMuch()
      if (units.total + size > MAX_UNITS) return unavailable('too many large bodies are being received')
      const received = units.addMany(size, network)
      request.once('end', received)
      response.once('close', received)
      return null
    },
  }
}

/** A body in chunks may be as large as a list. */
function declaredBytes({ headers }: IncomingMessage): number {
  if (headers['transfer-encoding'] !== undefined) return MAX_LIST_BYTES
  // One that is larger than any is refused by its length, and not received.
  return Math.min(Number(headers['content-length'] ?? 0), MAX_FORM_BYTES)
}

const tooMuch = () =>
  new ServiceError('RATE_LIMITED', 'Finish sending the other large bodies first.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
