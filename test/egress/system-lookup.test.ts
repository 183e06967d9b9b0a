import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemResolver } from '../../src/egress/resolver.ts'
import { type NameSources, systemLookup } from '../../src/egress/system-lookup.ts'
import { startNameServer } from '../setup/servers/name-server.ts'

let dir: string
let sources: NameSources
const asked: string[] = []
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sonant-lookup-'))
  const ask: NameSources['ask'] = async (name) => {
    asked.push(`system ${name}`)
    return [{ address: '192.0.2.9', family: 4 }]
  }
  sources = { hosts: join(dir, 'hosts'), resolvConf: join(dir, 'resolv.conf'), ask }
})
afterAll(() => rm(dir, { recursive: true }))

/** Addresses of a name where the name servers know that of `known` alone, and what was asked for on the way. */
async function found(name: string, known: string | null, files: { hosts?: string; resolvConf?: string } = {}) {
  asked.length = 0
  await Promise.all([
    writeFile(sources.hosts, files.hosts ?? ''),
    writeFile(sources.resolvConf, files.resolvConf ?? ''),
  ])
  const resolve = async (host: string) => {
    asked.push(host)
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
      'printer.local',
      null,
      {},
      [['192.0.2.9'], 'printer.local', 'system printer.local'],
    ],
  ])('%s', async (_what, name, known, files, expected) => {
    expect(await found(name, known, files)).toEqual(expected)
  })

  test('is not left to the system, on a thread, where the name servers hang', async () => {
    const names = await startNameServer()
    asked.length = 0
    const lookup = promisify(systemLookup(systemResolver([names.address]), sources))
    await expect(lookup('hanging.example.com', {})).rejects.toMatchObject({ code: 'ETIMEOUT' })
    expect(asked).toEqual([])
    names.close()
  })

  test('is one address for a caller that takes one', async () => {
    const lookup = systemLookup({ resolve: async () => BOTH }, sources)
    const given = new Promise((resolve) => lookup('a.test', {}, (...answer) => resolve(answer)))
    expect(await given).toEqual([null, '192.0.2.1', 4])
  })
})
