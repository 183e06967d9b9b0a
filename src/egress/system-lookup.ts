import { type LookupAddress, promises } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { inTime } from '../concurrency/in-time.ts'
import { unanswered } from './resolver.ts'

const LOCALHOST = /^(.+\.)?localhost\.?$/
const LOOPBACK_ADDRESSES: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]
/** undici waits 10 s for a connection. */
const LOOKUP_MS = 9_000

type Ask = (name: string) => Promise<readonly LookupAddress[]>

const asked = new Map<string, Promise<readonly LookupAddress[]>>()
const askSystem: Ask = (name) => promises.lookup(name, { all: true })

/**
 * Looks up an operator's server as the system does, within 9 s. Look-ups of one name share one question until the system answers,
 * because each takes a thread and libuv gives them half of its four.
 */
export const systemLookup =
  (ask = askSystem): LookupFunction =>
  (name, { all }, done) => {
    const found = (addresses: readonly LookupAddress[]): void => {
      if (all === true) done(null, [...addresses])
      else done(null, addresses[0]!.address, addresses[0]!.family)
    }
    inTime(LOOKUP_MS, find(name.toLowerCase(), ask), unanswered).then(found, (error: NodeJS.ErrnoException) =>
      done(error, []),
    )
  }

async function find(name: string, ask: Ask): Promise<readonly LookupAddress[]> {
  // An engine on this machine waits for no name server.
  if (LOCALHOST.test(name)) return LOOPBACK_ADDRESSES
  const asking = asked.get(name) ?? ask(name).finally(() => asked.delete(name))
  asked.set(name, asking)
  return asking
}
