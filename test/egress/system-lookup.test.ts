import type { LookupAddress } from 'node:dns'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Limits, sharedResolver, systemResolver } from '../../src/egress/resolver.ts'
import { askSystem, type NameSources, systemLookup } from '../../src/egress/system-lookup.ts'
import { startNameServer } from '../setup/servers/name-server.ts'
import { until } from '../setup/wait.ts'

let dir: string
let sources: NameSources
const asked: string[] = []
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sonant-lookup-'))
  const ask: NameSources['ask'] = async (name) => {
    asked.push(`system ${name}`)
    return [{ address: '192.0.2.9', family: 4 }]
  }
  sources = { hosts: join(dir, 'hosts'), resolvConf: join(dir, 'resolv.conf'), hostname: () => 'Workshop', ask }
})
afterAll(() => rm(dir, { recursive: true }))

const TIMED_OUT = Object.assign(new Error('no answer'), { code: 'ETIMEOUT' })

/** Addresses of a name where the name servers know that of `known` alone, and what was asked for on the way. */
async function found(
  name: string,
  known: string | null,
  files: { hosts?: string; resolvConf?: string; unanswered?: string } = {},
) {
  asked.length = 0
  await Promise.all([
    writeFile(sources.hosts, files.hosts ?? ''),
    writeFile(sources.resolvConf, files.resolvConf ?? ''),
  ])
  const resolve = async (host: string) => {
    asked.push(host)
    if (host === files.unanswered) throw TIMED_OUT
    if (host !== known) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    return ['192.0.2.1', '2001:db8::1']
  }
  const addresses = await promisify(systemLookup({ resolve }, sources))(name, { all: true })
  return [(addresses as unknown as { address: string }[]).map(({ address }) => address), ...asked]
}

const BOTH = ['192.0.2.1', '2001:db8::1']
const SEARCH = '# of a cluster\nsearch voice.svc.cluster.test cluster.test\noptions timeout:1 ndots:2\n'

describe('the name of a server that an operator configured', () => {
  test.each([
    ['asks the name servers for it', 'vllm.example.com', 'vllm.example.com', {}, [BOTH, 'vllm.example.com']],
    [
      'is first looked for among the hosts of the machine',
      'GPU-1',
      'gpu-1',
      { hosts: '# 192.0.2.7 gpu-1\n192.0.2.2 one gpu-1 # of the rack\n2001:db8::2 gpu-1\n' },
      [['192.0.2.2', '2001:db8::2']],
    ],
    ['is this machine where it is localhost', 'localhost', null, {}, [['127.0.0.1', '::1']]],
    [
      'with few dots is searched for in the domains of the machine, and then as it is',
      'vllm.dev',
      'vllm.dev',
      { resolvConf: SEARCH },
      [BOTH, 'vllm.dev.voice.svc.cluster.test', 'vllm.dev.cluster.test', 'vllm.dev'],
    ],
    [
      'with many is asked for as it is, and then searched for',
      'a.b.c',
      'a.b.c.cluster.test',
      { resolvConf: SEARCH },
      [BOTH, 'a.b.c', 'a.b.c.voice.svc.cluster.test', 'a.b.c.cluster.test'],
    ],
    ['that ends with a dot is searched for nowhere', 'vllm.', 'vllm', { resolvConf: SEARCH }, [BOTH, 'vllm']],
    [
      'that the name servers do not know is left to the system',
      'printer.lan',
      null,
      {},
      [['192.0.2.9'], 'printer.lan', 'system printer.lan'],
    ],
    [
      'of multicast DNS is left to the system first',
      'printer.local',
      null,
      {},
      [['192.0.2.9'], 'system printer.local'],
    ],
    ['of the machine itself is left to the system first', 'workshop', null, {}, [['192.0.2.9'], 'system workshop']],
    [
      'of a cluster is no name of multicast DNS',
      'vllm.dev.svc.cluster.local',
      'vllm.dev.svc.cluster.local',
      {},
      [BOTH, 'vllm.dev.svc.cluster.local'],
    ],
    [
      'that is not answered is searched for in the next domain',
      'vllm',
      'vllm.cluster.test',
      { resolvConf: SEARCH, unanswered: 'vllm.voice.svc.cluster.test' },
      [BOTH, 'vllm.voice.svc.cluster.test', 'vllm.cluster.test'],
    ],
  ])('%s', async (_what, name, known, files, expected) => {
    expect(await found(name, known, files)).toEqual(expected)
  })

  test('is left to the system where the name servers hang, and to them where the system hangs', async () => {
    const names = await startNameServer()
    await writeFile(sources.resolvConf, 'search example.org\noptions timeout:1\n')
    asked.length = 0
    const lookup = promisify(systemLookup(systemResolver([names.address]), sources))
    expect(await lookup('hanging.example.com', {})).toBe('192.0.2.9')
    expect(asked).toEqual(['system hanging.example.com'])
    names.close()
    const { promise, resolve } = Promise.withResolvers<[]>()
    const local = promisify(systemLookup({ resolve: async () => BOTH }, { ...sources, ask: () => promise }))
    expect(await local('hanging.local', {})).toBe('192.0.2.1')
    resolve([])
  })

  test('is left to the system one at a time and once, and its error is that of the name servers that hang', async () => {
    const held = new Map<string, (error: Error) => void>()
    const ask = (name: string) => new Promise<never>((_resolve, reject) => held.set(name, reject))
    let resolved = 0
    const resolve = () => {
      resolved++
      return Promise.reject(TIMED_OUT)
    }
    const lookup = promisify(systemLookup({ resolve }, { ...sources, ask }))
    const lookups = ['one.test', 'one.test', 'two.test', 'three.test'].map((name) => lookup(name, {}))
    const ended = Promise.allSettled(lookups)
    await until(() => resolved >= lookups.length, 60_000, 'the name servers to be asked')
    await new Promise((asked) => setImmediate(asked))
    for (let n = 1; n <= 3; n++) {
      await until(() => held.size > 0, 60_000, 'a name to be asked for')
      expect(held.size).toBe(1)
      const [[name, fail]] = [...held] as [[string, (error: Error) => void]]
      held.delete(name)
      fail(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }))
    }
    expect((await ended).map((end) => end.status === 'rejected' && end.reason)).toEqual(Array(4).fill(TIMED_OUT))
    expect(held.size).toBe(0)
  })

  test('that another look-up has asked the system for is not given up with that one', async () => {
    const held = new Map<string, (addresses: LookupAddress[]) => void>()
    const ask = (name: string) => new Promise<LookupAddress[]>((found) => held.set(name, found))
    const [first, second] = [new AbortController(), new AbortController()]
    const blocking = askSystem('blocking.test', ask, second.signal)
    const [early, late] = [askSystem('joined.test', ask, first.signal), askSystem('joined.test', ask, second.signal)]
    first.abort()
    await expect(early).rejects.toMatchObject({ code: 'ETIMEOUT' })
    const address = { address: '192.0.2.9', family: 4 }
    held.get('blocking.test')!([address])
    await until(() => held.has('joined.test'), 60_000, 'the name to be asked for')
    held.get('joined.test')!([address])
    expect([await blocking, await late]).toEqual([[address], [address]])
  })

  test('is asked of the system before a connection is given up, however many domains are searched slowly', async () => {
    await writeFile(sources.resolvConf, 'search a.test b.test c.test d.test e.test\noptions ndots:5\n')
    const resolve = (host: string) =>
      new Promise<never>((_found, reject) =>
        setTimeout(reject, host.endsWith('e.test') ? 60_000 : 900, new Error('no such name')).unref(),
      )
    const ask = async () => [{ address: '192.0.2.9', family: 4 }]
    const looked = async () => {
      const begun = performance.now()
      expect(await promisify(systemLookup({ resolve }, { ...sources, ask }))('gpu', {})).toBeDefined()
      return performance.now() - begun
    }
    // A busy machine may hold up any of them.
    let ms = await looked()
    for (let tries = 1; ms >= 9000 && tries < 3; tries++) ms = await looked()
    expect(ms).toBeLessThan(9000)
  })

  test.each<[string, Limits]>([
    ['', { tryMs: 5000, tries: 1, totalMs: 7000 }],
    ['options timeout:1 attempts:3\n', { tryMs: 1000, tries: 3, totalMs: 7000 }],
    ['options timeout:30 attempts:30\n', { tryMs: 5000, tries: 5, totalMs: 7000 }],
    ['options timeout:0 attempts:many\n', { tryMs: 5000, tries: 1, totalMs: 7000 }],
  ])('is asked for as long as the system does, within what a connection may take: %j', async (resolvConf, limits) => {
    await writeFile(sources.resolvConf, resolvConf)
    const given: (Limits | undefined)[] = []
    const resolve = async (_host: string, limits?: Limits) => {
      given.push(limits)
      return BOTH
    }
    await promisify(systemLookup(sharedResolver({ resolve }), sources))('a.test', {})
    expect(given).toEqual([limits])
  })

  test('without any address is not found', async () => {
    const nothing = { ...sources, ask: async () => [] }
    const lookup = promisify(systemLookup({ resolve: async () => [] }, nothing))
    await expect(lookup('empty.test', {})).rejects.toMatchObject({ code: 'ENOTFOUND' })
  })

  test('is one address for a caller that takes one', async () => {
    const lookup = systemLookup({ resolve: async () => BOTH }, sources)
    const given = new Promise((resolve) => lookup('a.test', {}, (...answer) => resolve(answer)))
    expect(await given).toEqual([null, '192.0.2.1', 4])
  })
})
