import { promises, TIMEOUT } from 'node:dns'

const TRY_MS = 2000
const TRIES = 2
/** Once a family has brought addresses, the other gets this long: some name servers answer for A and drop AAAA. */
const OTHER_FAMILY_MS = 1500
/** Both families, all tries. */
const RESOLVE_TIMEOUT_MS = 5000

/** Asks DNS. An interface, so that tests can answer for it. */
export interface Resolver {
  /** Every address of a name, IPv4 and IPv6, aliases followed. @throws where there is none */
  resolve(host: string): Promise<string[]>
}

/** The name servers of the machine, or those given, asked over sockets: hanging ones never take a thread from the rest of the process. */
export function systemResolver(servers?: readonly string[]): Resolver {
  return {
    resolve: async (host) => {
      const resolver = new promises.Resolver({ timeout: TRY_MS, tries: TRIES })
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

/** Names asked for at the same time are asked once, and no caller waits longer than 5 s. */
export function sharedResolver(inner: Resolver): Resolver {
  const asked = new Map<string, Promise<string[]>>()
  return {
    resolve: (host) => {
      const known = asked.get(host)
      if (known !== undefined) return known
      const answer = within(inner.resolve(host)).finally(() => asked.delete(host))
      asked.set(host, answer)
      return answer
    },
  }
}

async function within(answer: Promise<string[]>): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const error = Object.assign(new Error('the name servers do not answer'), { code: TIMEOUT })
    timer = setTimeout(() => reject(error), RESOLVE_TIMEOUT_MS)
  })
  return Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
