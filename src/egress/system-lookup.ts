import { type LookupAddress, NOTFOUND, promises, TIMEOUT } from 'node:dns'
import { readFile } from 'node:fs/promises'
import { isIP, type LookupFunction } from 'node:net'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { Semaphore } from '../concurrency/semaphore.ts'
import { errorCode } from '../values/data-directory.ts'
import type { Limits, Resolver } from './resolver.ts'

const LOCALHOST = /^(.+\.)?localhost$/
const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1']
/** Multicast DNS serves these; name servers serve longer names such as `vllm.dev.svc.cluster.local`. */
const MULTICAST = /^[^.]+\.local$/
const DEFAULT_NDOTS = 1
const TRY_SECONDS = 5
const DEFAULT_ATTEMPTS = 1
const MAX_ATTEMPTS = 5
/** undici waits 10 s for a connection. */
const LOOKUP_MS = 9000
const SERVERS_MS = 7000
const SYSTEM_FIRST_MS = 2000
const SILENCE_MS = 1000

const SYSTEM: NameSources = {
  hosts: '/etc/hosts',
  resolvConf: '/etc/resolv.conf',
  hostname,
  ask: (name) => promises.lookup(name, { all: true }),
}

/** getaddrinfo(3) blocks one of the process's four threads, so look-ups take turns. */
const lookUps = new Semaphore(() => 1)
const asked = new Map<string, Promise<readonly LookupAddress[]>>()

export interface NameSources {
  readonly hosts: string
  readonly resolvConf: string
  hostname(): string
  ask(name: string): Promise<readonly LookupAddress[]>
}

/**
 * Looks up an operator's server as the system does: hosts file, name servers with search domains, then getaddrinfo.
 * Names of the local network ask getaddrinfo first.
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

function inTotal<T>(answer: Promise<T>): Promise<T> {
  const late = pause(SERVERS_MS, undefined, { ref: false }).then(() => {
    throw Object.assign(new Error('the name servers do not answer'), { code: TIMEOUT })
  })
  return Promise.race([answer, late])
}

/**
 * Asks one name after the other, and all the rest once a name server is silent.
 * @throws ETIMEOUT if one was silent, else the last reason
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

function someOf<T>(addresses: readonly T[]): T[] {
  if (addresses.length > 0) return [...addresses]
  throw Object.assign(new Error('the name has no address'), { code: NOTFOUND })
}

const withFamily = (address: string): LookupAddress => ({ address, family: isIP(address) })

function listedIn(hosts: string, name: string): string[] {
  const lines = linesOf(hosts).map(([address = '', ...names]) => ({ address, names }))
  return lines.flatMap(({ address, names }) =>
    isIP(address) !== 0 && names.some((one) => one.toLowerCase() === name) ? [address] : [],
  )
}

function fullNames(name: string, lines: string[][]): string[] {
  if (name.endsWith('.')) return [name.slice(0, -1)]
  const domains = lines.findLast(([word]) => word === 'search' || word === 'domain')?.slice(1) ?? []
  const searched = domains.map((domain) => `${name}.${domain.replace(/\.$/, '')}`)
  const ndots = optionOf(lines, 'ndots') ?? DEFAULT_NDOTS
  return name.split('.').length > ndots ? [name, ...searched] : [...searched, name]
}

function limitsOf(lines: string[][]): Limits {
  const seconds = optionOf(lines, 'timeout') || TRY_SECONDS
  const tries = optionOf(lines, 'attempts') || DEFAULT_ATTEMPTS
  return {
    tryMs: Math.min(seconds, TRY_SECONDS) * 1000,
    tries: Math.min(tries, MAX_ATTEMPTS),
    totalMs: SERVERS_MS,
  }
}

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
