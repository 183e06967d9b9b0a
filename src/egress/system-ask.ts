import { type LookupAddress, TIMEOUT } from 'node:dns'
import { Semaphore } from '../concurrency/semaphore.ts'
import { errorCode } from '../values/data-directory.ts'

/** getaddrinfo(3) blocks one of the process's four threads, so look-ups take turns. */
const lookUps = new Semaphore(() => 1)
const asked = new Map<string, Promise<readonly LookupAddress[]>>()

/** @param signal ends the wait @throws ETIMEOUT, or the system's error */
export function askSystem(
  name: string,
  ask: (name: string) => Promise<readonly LookupAddress[]>,
  signal: AbortSignal,
): Promise<readonly LookupAddress[]> {
  const joined = asked.get(name)?.catch((error) => {
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
