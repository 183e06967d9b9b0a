import { type LookupAddress, TIMEOUT } from 'node:dns'
import { Semaphore } from '../concurrency/semaphore.ts'
import { errorCode } from '../values/data-directory.ts'

/** getaddrinfo(3) holds one of the four threads of this process until it has an answer: one, of all look-ups. */
const lookUps = new Semaphore(() => 1)
const asked = new Map<string, Promise<readonly LookupAddress[]>>()

/**
 * Asks the system for a name, one at a time: its own ways know names of the local network. Names asked for at the same time are asked once.
 * @param signal ends the wait; what still waits by then is not asked
 * @throws ETIMEOUT then, or the system's error
 */
export function askSystem(
  name: string,
  ask: (name: string) => Promise<readonly LookupAddress[]>,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  const joined = asked.get(name)?.catch((error) => {
    // The look-up that had begun it was over while it waited.
    if (errorCode(error) === TIMEOUT && !signal.aborted) return askSystem(name, ask, signal)
    throw error
  })
  const answer = joined ?? begin(name, ask, signal)
  const { promise: late, reject } = Promise.withResolvers<never>()
  const end = () => reject(silence())
  if (signal.aborted) end()
  signal.addEventListener('abort', end, { once: true })
  return Promise.race([answer, late]).finally(() => signal.removeEventListener('abort', end))
}

function begin(name: string, ask: (name: string) => Promise<readonly LookupAddress[]>, signal: AbortSignal) {
  const asking = lookUps
    .run(signal, () => ask(name))
    .catch((error) => {
      throw error === signal.reason ? silence() : error
    })
  const answer = asking.finally(() => asked.delete(name))
  asked.set(name, answer)
  return answer
}

const silence = () => Object.assign(new Error('the system does not answer'), { code: TIMEOUT })
