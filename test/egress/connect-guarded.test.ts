import { stat } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { judgeHost } from '../../src/egress/judge-host.ts'
import { type Resolver, sharedResolver, systemResolver } from '../../src/egress/resolver.ts'
import { type NameServer, type Question, startNameServer } from '../setup/servers/name-server.ts'
import type { Receiver } from '../setup/servers/receiver.ts'
import type { TestRuntime } from '../setup/service/runtime.ts'
import { createOwner, openWebhookFixture, type WebhookFixture } from '../setup/service/webhooks.ts'
import { until } from '../setup/wait.ts'

/** Names that the stand-in resolver knows; what it says may change from one question to the next. */
const answers = new Map<string, (nth: number) => string[]>()
const asked = new Map<string, number>()
const resolver: Resolver = {
  resolve: async (host) => {
    const nth = (asked.get(host) ?? 0) + 1
    asked.set(host, nth)
    const found = answers.get(host)?.(nth)
    if (found === undefined) throw new Error('ENOTFOUND')
    return found
  },
}

let fixture: WebhookFixture
let receiver: Receiver
let service: TestRuntime

beforeAll(async () => {
  fixture = await openWebhookFixture({ webhooks: resolver })
  ;({ receiver, service } = fixture)
})
afterAll(() => fixture?.close())

const urlOf = (host: string, path: string) => `https://${host}:${receiver.port}${path}`

describe('connecting to a name', () => {
  test('that resolves to allowed addresses delivers, with the certificate checked against the name', async () => {
    answers.set('good.hooks.test', () => ['127.0.0.1'])
    const owner = await createOwner(service, urlOf('good.hooks.test', '/name'))
    expect(await owner.outcomeOf(await owner.sendTest())).toMatchObject({ outcome: 'succeeded' })
    answers.set('unnamed.test', () => ['127.0.0.1'])
    await owner.setUrl(urlOf('unnamed.test', '/unnamed'))
    expect(await owner.outcomeOf(await owner.sendTest())).toMatchObject({ outcome: 'tls_failed' })
    expect(receiver.received('/unnamed')).toEqual([])
  })

  test('one dead address of several does not matter', async () => {
    answers.set('two.hooks.test', () => ['127.0.0.9', '127.0.0.1'])
    const owner = await createOwner(service, urlOf('two.hooks.test', '/two'))
    expect(await owner.outcomeOf(await owner.sendTest())).toMatchObject({ outcome: 'succeeded' })
  })

  test.concurrent.each([
    ['mixed answers', ['127.0.0.1', '10.0.0.1']],
    ['a v4-mapped private address', ['::ffff:10.0.0.1']],
    ['the metadata address', ['169.254.169.254']],
    ['loopback in IPv6', ['::1']],
    ['an address with a zone', ['fe80::1%eth0']],
    ['NAT64 of a private address', ['64:ff9b::a00:1']],
    ['what is no address at all', ['127.0.0.1', 'localhost']],
  ])('%s: nothing is connected', async (title, addresses) => {
    const host = `${title.replace(/\W/g, '-').toLowerCase()}.hooks.test`
    answers.set(host, () => addresses)
    const before = receiver.connections()
    const owner = await createOwner(service, urlOf(host, '/refused'))
    const delivery = await owner.outcomeOf(await owner.sendTest())
    expect(delivery.attempts.map(({ outcome }) => outcome)).toEqual(Array(4).fill('address_refused'))
    expect(receiver.connections()).toBe(before)
  })

  test('that rebinds after it was submitted, or between two attempts, is refused although a connection is open', async () => {
    const owner = await createOwner(service)
    receiver.on('/rebind', (response, _request, nth) => response.writeHead(nth === 1 ? 200 : 503).end())
    let address = '127.0.0.1'
    answers.set('rebind.hooks.test', () => [address])
    await owner.setUrl(urlOf('rebind.hooks.test', '/rebind'))
    expect(await owner.outcomeOf(await owner.sendTest())).toMatchObject({ outcome: 'succeeded' })
    // The connection of the first delivery is still open, kept alive.
    address = '192.168.0.1'
    const delivery = await owner.outcomeOf(await owner.sendTest())
    expect(delivery.outcome).toBe('address_refused')
    expect(receiver.received('/rebind')).toHaveLength(1)
  })

  test('that changes its answer between judging and connecting is judged again by the connection', async () => {
    answers.set('flip.hooks.test', (nth) => (nth % 2 === 1 ? ['127.0.0.1'] : ['10.0.0.1']))
    const before = receiver.connections()
    const owner = await createOwner(service, urlOf('flip.hooks.test', '/flip'))
    expect(await owner.outcomeOf(await owner.sendTest())).toMatchObject({ outcome: 'address_refused' })
    expect(receiver.connections()).toBe(before)
  })

  test('that does not exist is dns_failed', async () => {
    const owner = await createOwner(service, urlOf('nowhere.hooks.test', '/'))
    expect(await owner.outcomeOf(await owner.sendTest())).toMatchObject({ outcome: 'dns_failed' })
  })

  test('kept-alive connections carry many deliveries', async () => {
    const owner = await createOwner(service, `${receiver.url}/alive`)
    const before = receiver.connections()
    for (let nth = 1; nth <= 5; nth++) {
      await owner.sendTest()
      await receiver.waitFor('/alive', nth)
    }
    // One that nothing uses for some seconds is closed, and a busy machine may let them pass.
    expect(receiver.connections() - before).toBeLessThan(5)
  })
})

describe('connecting to a literal', () => {
  test('that EGRESS_ALLOW covered at submission and no longer covers is refused', async () => {
    const owner = await createOwner(service)
    await service.runtime.db.pool.query('update account set webhook_url = $2 where id = $1', [
      owner.account,
      'https://10.0.0.1:8443/',
    ])
    expect(await owner.outcomeOf(await owner.sendTest())).toMatchObject({ outcome: 'address_refused' })
  })

  test('with port 80 in the one spelling that submission takes never connects', async () => {
    const owner = await createOwner(service, 'https://127.0.0.1:080/')
    expect(await owner.outcomeOf(await owner.sendTest())).toMatchObject({ outcome: 'port_refused' })
  })
})

describe('the resolver of the machine', () => {
  let server: NameServer | undefined
  afterEach(() => {
    server?.close()
    server = undefined
  })
  const resolverOf = async (onQuestion?: (question: Question) => void) => {
    server = await startNameServer(onQuestion)
    return sharedResolver(systemResolver([server.address]))
  }

  test('follows an alias to a private address, which is refused', async () => {
    const resolving = await resolverOf(({ aliasTo }) => aliasTo([10, 0, 0, 1]))
    const judged = judgeHost('alias.test', resolving, [])
    await expect(judged).rejects.toMatchObject({ outcome: 'address_refused' })
  })

  test('takes the addresses of one family soon where the server drops the questions for the other', async () => {
    const resolving = await resolverOf(({ isA, aliasTo }) => isA && aliasTo([127, 0, 0, 9]))
    const resolved = async (name: string) => {
      const started = performance.now()
      expect(await resolving.resolve(name)).toEqual(['127.0.0.9'])
      return performance.now() - started
    }
    // A busy machine may hold up any of them.
    let ms = await resolved('half.test')
    for (let tries = 1; ms >= 3500 && tries < 4; tries++) ms = await resolved(`half${tries}.test`)
    expect(ms).toBeLessThan(3500)
  })

  test('gives up on a server that never answers within 5 s, while files go on being read', async () => {
    const resolving = await resolverOf()
    const started = performance.now()
    const hanging = Promise.allSettled(
      Array.from({ length: 32 }, (_, nth) => judgeHost(`silent${nth}.test`, resolving, [])),
    )
    const first = await Promise.race([
      hanging.then(() => 'the server was given up'),
      Promise.all(Array.from({ length: 32 }, () => stat('.'))).then(() => 'files were read'),
    ])
    expect(first).toBe('files were read')
    const results = await hanging
    expect(performance.now() - started).toBeLessThan(20_000)
    expect(new Set(results.map((result) => (result as PromiseRejectedResult).reason.outcome))).toEqual(
      new Set(['dns_failed']),
    )
  })

  test('a name server that never answers costs an attempt, and no other delivery waits for it', async () => {
    const never: Resolver['resolve'] = () => new Promise(() => undefined)
    const owner = await createOwner(service, urlOf('hang.hooks.test', '/'))
    const original = resolver.resolve
    resolver.resolve = (host) => (host === 'hang.hooks.test' ? never(host) : original(host))
    const id = await owner.sendTest()
    const other = await createOwner(service, urlOf('good.hooks.test', '/beside'))
    answers.set('good.hooks.test', () => ['127.0.0.1'])
    await other.sendTest()
    await receiver.waitFor('/beside')
    expect((await owner.delivery(id)).attempts[0]?.outcome ?? null).toBeNull()
    await until(async () => (await owner.delivery(id)).attempts[0]?.outcome === 'dns_failed', 60_000, 'dns_failed')
    resolver.resolve = original
  })
})
