import { promises, TIMEOUT } from 'node:dns'

/** Some name servers answer A and drop AAAA, so the second family gets only this long. */
const OTHER_FAMILY_MS = 1500

export interface Limits {
  readonly tryMs: number
  readonly tries: number
  /** Both families, all tries. */
  readonly totalMs: number
}

const LIMITS: Limits = { tryMs: 2000, tries: 2, totalMs: 5000 }

export interface Resolver {
  /** Returns all IPv4 and IPv6 addresses. @throws if there are none */
  resolve(host: string, limits?: Limits): Promise<string[]>
}

/** Asks name servers over sockets, so a hanging server blocks no thread. */
export function systemResolver(servers?: readonly string[]): Resolver {
  return {
    resolve: async (host, { tryMs, tries } = LIMITS) => {
      const resolver = new promises.Resolver({ timeout: tryMs, tries })
      if (servers !== undefined) resolver.setServers(servers)
      return eitherFamily([resolver.resolve4(host), resolver.resolve6(host)]).finally(() => resolver.cancel())
    },
  }
}

async function eitherFamily(families: readonly Promise<string[]>[]): Promise<string[]> {
  const found: string[] = []
  const all = Promise.allSettled(families.map((family) => family.then((addresses) => found.push(...addresses))))
  let timer: NodeJS.Timeout | undefined
  const otherFamily = () => new Promise((resolve) => (timer = setTimeout(resolve, OTHER_FAMILY_MS)))
  await Promise.race([all, Promise.any(families).then(otherFamily, () => all)])
  clearTimeout(timer)
  return found.length > 0 ? found : families[0]!
}

/** Concurrent questions for one name share one answer within `totalMs`. */
export function sharedResolver(inner: Resolver): Resolver {
  const asked = new Map<string, Promise<string[]>>()
  return {
    resolve: (host, limits = LIMITS) => {
      const question = [host, limits.tryMs, limits.tries, limits.totalMs].join(' ')
      const known = asked.get(question)
      if (known !== undefined) return known
      const answer = within(limits.totalMs, inner.resolve(host, limits)).finally(() => asked.delete(question))
      asked.set(question, answer)
      return answer
    },
  }
}

async function within(totalMs: number, answer: Promise<string[]>): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const error = Object.assign(new Error('the name servers do not answer'), { code: TIMEOUT })
    timer = setTimeout(() => reject(error), totalMs)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
