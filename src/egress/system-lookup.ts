import { type LookupAddress, NOTFOUND, promises, TIMEOUT } from 'node:dns'
import { readFile } from 'node:fs/promises'
import { isIP, type LookupFunction } from 'node:net'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { errorCode } from '../values/data-directory.ts'
import type { Limits, Resolver } from './resolver.ts'
import { askSystem } from './system-ask.ts'

const LOCALHOST = /^(.+\.)?localhost$/
const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1']
/** What multicast DNS answers for. Longer ones, such as `vllm.dev.svc.cluster.local`, are of name servers. */
const MULTICAST = /^[^.]+\.local$/
/** Of a resolv.conf(5) without `ndots`. */
const DEFAULT_NDOTS = 1
/** As in resolv.conf(5), and as long as its `timeout` may be here. */
const TRY_SECONDS = 5
const DEFAULT_ATTEMPTS = 1
const MAX_ATTEMPTS = 5
/** A whole look-up: undici waits 10 s for a connection. */
const LOOKUP_MS = 9000
/** Of these, for the name servers. */
const SERVERS_MS = 7000
/** Of these, for the system where it is asked first. */
const SYSTEM_FIRST_MS = 2000
/** After so long without an answer to one name the others are asked for as well. */
const SILENCE_MS = 1000

/** What a system looks names up by. An interface, so that tests can have one of their own. */
export interface NameSources {
  readonly hosts: string
  readonly resolvConf: string
  hostname(): string
  /** getaddrinfo(3): it holds a thread of this process until it has an answer. */
  ask(name: string): Promise<readonly LookupAddress[]>
}

const SYSTEM: NameSources = {
  hosts: '/etc/hosts',
  resolvConf: '/etc/resolv.conf',
  hostname,
  ask: (name) => promises.lookup(name, { all: true }),
}

/**
 * Looks up the name of a server that the operator configured as the system does: by its list of hosts, then by its name servers with the
 * domains that it searches. They are asked over sockets, so that one that hangs takes no thread. What else the system knows, such as
 * names of its local network, it is asked for itself, one name at a time: at last, or at first for names that are of such a kind.
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
  const inTime = AbortSignal.timeout(LOOKUP_MS)
  const bare = name.replace(/\.$/, '')
  const listed = listedIn(await contentOf(sources.hosts), bare)
  if (listed.length > 0) return listed.map(withFamily)
  if (LOCALHOST.test(bare)) return LOOPBACK_ADDRESSES.map(withFamily)
  const conf = linesOf(await contentOf(sources.resolvConf))
  const byServers = async () =>
    (await inTotal(askServers(fullNames(name, conf), limitsOf(conf), resolver))).map(withFamily)
  const bySystem = async (signal: AbortSignal) => someOf(await askSystem(name, sources.ask, signal))
  if (MULTICAST.test(bare) || bare === sources.hostname().toLowerCase()) {
    return bySystem(AbortSignal.timeout(SYSTEM_FIRST_MS)).catch(byServers)
  }
  return byServers().catch((error) =>
    bySystem(inTime).catch((last) => {
      throw errorCode(error) === TIMEOUT ? error : last
    }),
  )
}

/** However many names are asked for. @throws ETIMEOUT */
function inTotal<T>(answer: Promise<T>): Promise<T> {
  const late = pause(SERVERS_MS, undefined, { ref: false }).then(() => {
    throw Object.assign(new Error('the name servers do not answer'), { code: TIMEOUT })
  })
  return Promise.race([answer, late])
}

/**
 * The addresses of the first of the names that has some. One after the other is asked for; where one is not answered, all that are left.
 * @throws ETIMEOUT where one was not answered, or else the last one's reason
 */
async function askServers(names: readonly string[], limits: Limits, resolver: Resolver): Promise<string[]> {
  const answers: Promise<string[]>[] = []
  let isSilent = false
  for (const name of names) {
    const answer = resolver.resolve(name, limits).then(someOf)
    answers.push(answer)
    const settled = answer.catch(() => null)
    if (isSilent) continue
    const soon = await Promise.race([settled, pause(SILENCE_MS, 'silent' as const, { ref: false })])
    isSilent = soon === 'silent'
    if (soon !== null && soon !== 'silent') return soon
  }
  const ended = await firstOf(answers)
  if (ended.found !== null) return ended.found
  throw ended.reasons.find((reason) => errorCode(reason) === TIMEOUT) ?? ended.reasons.at(-1)
}

/** In their order, however late it comes; or why there is none. */
async function firstOf(answers: readonly Promise<string[]>[]) {
  const reasons: unknown[] = []
  for (const answer of answers) {
    try {
      return { found: await answer, reasons }
    } catch (error) {
      reasons.push(error)
    }
  }
  return { found: null, reasons }
}

/** @throws ENOTFOUND for none */
function someOf<T>(addresses: readonly T[]): T[] {
  if (addresses.length > 0) return [...addresses]
  throw Object.assign(new Error('the name has no address'), { code: NOTFOUND })
}

const withFamily = (address: string): LookupAddress => ({ address, family: isIP(address) })

/** The addresses of a name in a hosts(5) file. */
function listedIn(hosts: string, name: string): string[] {
  const lines = linesOf(hosts).map(([address = '', ...names]) => ({ address, names }))
  return lines.flatMap(({ address, names }) =>
    isIP(address) !== 0 && names.some((one) => one.toLowerCase() === name) ? [address] : [],
  )
}

/** What name servers are asked for, in this order, by the lines of a resolv.conf(5): of several that search the last one counts. */
function fullNames(name: string, lines: string[][]): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)]
  const domains = lines.findLast(([word]) => word === 'search' || word === 'domain')?.slice(1) ?? []
  const searched = domains.map((domain) => `${name}.${domain.replace(/\.$/, '')}`)
  const ndots = optionOf(lines, 'ndots') ?? DEFAULT_NDOTS
  return name.split('.').length > ndots ? [name, ...searched] : [...searched, name]
}

/** As the system has them, within what a connection may take: one try of each server unless it says otherwise. */
function limitsOf(lines: string[][]): Limits {
  const seconds = optionOf(lines, 'timeout') || TRY_SECONDS
  const tries = optionOf(lines, 'attempts') || DEFAULT_ATTEMPTS
  return {
    tryMs: Math.min(seconds, TRY_SECONDS) * 1000,
    tries: Math.min(tries, MAX_ATTEMPTS),
    totalMs: SERVERS_MS,
  }
}

/** The number of an option of a resolv.conf(5), where it has one: of several the last one counts. */
function optionOf(lines: string[][], name: string): number | undefined {
  const options = lines.flatMap(([word, ...rest]) => (word === 'options' ? rest : []))
  const text = options.findLast((option) => option.startsWith(`${name}:`))?.slice(name.length + 1)
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}

const linesOf = (text: string): string[][] =>
  text.split('\n').map((line) =>
    line
      .replace(/[#;].*/, '')
      .trim()
      .split(/\s+/),
  )

const contentOf = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '')
