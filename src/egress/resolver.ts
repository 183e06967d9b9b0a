import { promises, TIMEOUT } from 'node:dns'
import { inTime } from '../concurrency/in-time.ts'

/** Some name servers answer A and drop AAAA, so the second family gets only this long. */
const OTHER_FAMILY_MS = 1500

const TRY_MS = 2000
const TRIES = 2
/** Both families, all tries. */
const TOTAL_MS = 5000

export interface Resolver {
  /** Returns all IPv4 and IPv6 addresses. @throws if there are none */
  resolve(host: string): Promise<string[]>
}

/** Asks name servers over sockets, so a hanging server blocks no thread. */
export function systemResolver(servers?: readonly string[]): Resolver {
  return {
    resolve: async (host) => {
      const resolver = new promises.Resolver({ timeout: TRY_MS, tries: TRIES })
      if (servers !== undefined) resolver.setServers(servers)
      return eitherFamily([resolver.resolve4(host), resolver.resolve6(host)]).finally(() => resolver.cancel())
    },
  }
}

async function eitherFamily(families: readonly Promise<string[]>[]): Promise<string[]> {
  const found: string[] = []
  const all = Promise.allSettled(families.map((family) => family.then((addresses) => found.push(...addresses))))
  await Promise.any(families).then(
    () => inTime(OTHER_FAMILY_MS, all, () => undefined),
    () => all,
  )
  return found.length > 0 ? found : families[0]!
}

/** Concurrent questions for one name share one answer within 5 s. */
export function sharedResolver(inner: Resolver): Resolver {
  const asked = new Map<string, Promise<string[]>>()
  return {
    resolve: (host) => {
      const known = asked.get(host)
      if (known !== undefined) return known
      const answer = inTime(TOTAL_MS, inner.resolve(host), unanswered).finally(() => asked.delete(host))
      asked.set(host, answer)
      return answer
    },
  }
}

/** @throws ETIMEOUT */
export function unanswered(): never {
  throw Object.assign(new Error('the name servers do not answer'), { code: TIMEOUT })
}
