import { promises, TIMEOUT } from 'node:dns'

/** Once a family has brought addresses, the other gets this long: some name servers answer for A and drop AAAA. */
const OTHER_FAMILY_MS = 1500

/** How long name servers are asked. */
export interface Limits {
  /** For one server to answer in, the first time. */
  readonly tryMs: number
  /** Of each server. */
  readonly tries: number
  /** Both families, all tries. */
  readonly totalMs: number
}

/** For names that callers chose. */
const LIMITS: Limits = { tryMs: 2000, tries: 2, totalMs: 5000 }

/** Asks DNS. An interface, so that tests can answer for it. */
export interface Resolver {
  /** Every address of a name, IPv4 and IPv6, aliases followed; by the limits of a caller's name unless others are given. @throws where there is none */
  resolve(host: string, limits?: Limits): Promise<string[]>
}

/** The name servers of the machine, or those given, asked over sockets: hanging ones never take a thread from the rest of the process. */
export function systemResolver(servers?: readonly string[]): Resolver {
  return {
    resolve: async (host, { tryMs, tries } = LIMITS) => {
      const resolver = new promises.Resolver({ timeout: tryMs, tries })
      if (servers !== undefined) resolver.setServers(servers)
      return eitherFamily([resolver.resolve4(host), resolver.resolve6(host)]).finally(() => resolver.cancel())
    },
  }
}

/** The addresses of both families, or of the one that answered. @throws the first's reason where neither has any */
async function eitherFamily(families: readonly Promise<string[]>[]): Promise<string[]> {
  const found: string[] = []
  const all = Promise.allSettled(families.map((family) => family.then((addresses) => found.push(...addresses))))
  let timer: NodeJS.Timeout | undefined
  const otherFamily = () => new Promise((resolve) => (timer = setTimeout(resolve, OTHER_FAMILY_MS)))
  await Promise.race([all, Promise.any(families).then(otherFamily, () => all)])
  clearTimeout(timer)
  return found.length > 0 ? found : families[0]!
}

/** Names asked for at the same time are asked once, and no caller waits longer than its limits say. */
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
