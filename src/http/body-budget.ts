import type { IncomingMessage, ServerResponse } from 'node:http'
import { Tally } from '../concurrency/tally.ts'
import { networkOf } from '../egress/network-of.ts'
import { ServiceError, unavailable } from '../errors/service-error.ts'

/** What bodies are counted in. A smaller one is not counted: the headers of its request take as much. */
const UNIT_BYTES = 64 * 1024
/** Of all bodies that are being received, however slowly: 256 MiB. One network may have half of it. */
const MAX_UNITS = 4096
/** Routes that take no more look a key up when they have the body: what is sent to them has 128 MiB of its own, and takes nothing of the others'. */
const SMALL_BYTES = 128 * 1024
const MAX_SMALL_UNITS = 2048
const RETRY_AFTER_SECONDS = 1

/** How much of the memory of this process the bodies take that are being received: each is held until it is whole. */
interface BodyBudget {
  /**
   * Counts a request's body, by the length that its headers declare, until it has been received, or answered: what comes of it then is not
   * held. A request whose answer is out has no end and no close where the rest of its body never comes.
   * @param limitBytes what its route takes
   * @returns RATE_LIMITED where its network's bodies take too much, UNAVAILABLE where all of them do, else null
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

/** A body in chunks may be as large as its route takes; one that declares more is refused by its length, and not received. */
const heldBytes = ({ headers }: IncomingMessage, limitBytes: number): number =>
  headers['transfer-encoding'] === undefined ? Math.min(Number(headers['content-length'] ?? 0), limitBytes) : limitBytes

const tooMuch = () =>
  new ServiceError('RATE_LIMITED', 'Finish sending the other large bodies first.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })
