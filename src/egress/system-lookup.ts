import { type LookupAddress, promises, TIMEOUT } from 'node:dns'
import { readFile } from 'node:fs/promises'
import { isIP, type LookupFunction } from 'node:net'
import { errorCode } from '../values/data-directory.ts'
import type { Resolver } from './resolver.ts'

const LOCALHOST = /^(.+\.)?localhost$/
const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1']
/** Of a resolver.conf(5) without `ndots`. */
const DEFAULT_NDOTS = 1

/** What a system looks names up by. An interface, so that tests can have one of their own. */
export interface NameSources {
  readonly hosts: string
  readonly resolvConf: string
  /** getaddrinfo(3): it holds a thread of this process until it has an answer. */
  ask(name: string): Promise<readonly LookupAddress[]>
}

const SYSTEM: NameSources = {
  hosts: '/etc/hosts',
  resolvConf: '/etc/resolv.conf',
  ask: (name) => promises.lookup(name, { all: true }),
}

/**
 * Looks up the name of a server that the operator configured as the system does: by its list of hosts, then by its name servers with the
 * domains that it searches. They are asked over sockets, so that one that hangs takes no thread. What else the system knows, such as
 * names of its local network, it is asked for itself where the name servers have answered.
 */
export const systemLookup =
  (resolver: Resolver, sources: NameSources = SYSTEM): LookupFunction =>
  (name, { all }, done) => {
    const found = (addresses: readonly LookupAddress[]): void => {
      if (all === true) done(null, [...addresses])
      else done(null, addresses[0]!.address, addresses[0]!.family)
    }
    find(name.toLowerCase(), resolver, sources).then(found, (error: NodeJS.ErrnoException) => done(error, []))
  }

async function find(name: string, resolver: Resolver, sources: NameSources): Promise<readonly LookupAddress[]> {
  const bare = name.replace(/\.$/, '')
  const listed = listedIn(await contentOf(sources.hosts), bare)
  if (listed.length > 0) return listed.map(withFamily)
  if (LOCALHOST.test(bare)) return LOOPBACK_ADDRESSES.map(withFamily)
  for (const full of fullNames(name, await contentOf(sources.resolvConf))) {
    try {
      return (await resolver.resolve(full)).map(withFamily)
    } catch (error) {
      // Every other error is an answer.
      if (errorCode(error) === TIMEOUT) throw error
    }
  }
  return sources.ask(name)
}

const withFamily = (address: string): LookupAddress => ({ address, family: isIP(address) })

/** The addresses of a name in a hosts(5) file. */
function listedIn(hosts: string, name: string): string[] {
  const lines = linesOf(hosts).map(([address = '', ...names]) => ({ address, names }))
  return lines.flatMap(({ address, names }) =>
    isIP(address) !== 0 && names.some((one) => one.toLowerCase() === name) ? [address] : [],
  )
}

/** What name servers are asked for, in this order, by a resolv.conf(5): of several lines the last one counts. */
function fullNames(name: string, resolvConf: string): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)]
  const lines = linesOf(resolvConf)
  const domains = lines.findLast(([word]) => word === 'search' || word === 'domain')?.slice(1) ?? []
  const options = lines.flatMap(([word, ...rest]) => (word === 'options' ? rest : []))
  const ndots = Number(
    options.findLast((option) => option.startsWith('ndots:'))?.slice('ndots:'.length) ?? DEFAULT_NDOTS,
  )
  const searched = domains.map((domain) => `${name}.${domain.replace(/\.$/, '')}`)
  return name.split('.').length > ndots ? [name, ...searched] : [...searched, name]
}

const linesOf = (text: string): string[][] =>
  text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/),
  )

const contentOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')
