import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { guardedConnector } from '../../src/egress/connect-guarded.ts'
import { classifyAddress, toAddressBytes } from '../../src/egress/ip-ranges.ts'
import type { EgressFailure } from '../../src/egress/judge-host.ts'
import { systemResolver } from '../../src/egress/resolver.ts'
import { call } from '../setup/http.ts'
import { type NameServer, startNameServer } from '../setup/servers/name-server.ts'
import type { Receiver } from '../setup/servers/receiver.ts'
import { ask, codeOf, mutation } from '../setup/service/graphql.ts'
import type { TestRuntime } from '../setup/service/runtime.ts'
import { createOwner, type Owner, openWebhookFixture, type WebhookFixture } from '../setup/service/webhooks.ts'
import corpus from '../setup/ssrf-corpus.json' with { type: 'json' }
import { until } from '../setup/wait.ts'

const TIMEOUT_MS = 60_000

let fixture: WebhookFixture
/** Nothing here may ever reach it. */
let receiver: Receiver
/** Says of every name that it is an alias of this machine. */
let names: NameServer
let service: TestRuntime
let owner: Owner
let adminKey: string

beforeAll(async () => {
  names = await startNameServer(({ aliasTo }) => aliasTo([127, 0, 0, 1]))
  const webhooks = systemResolver([names.address])
  fixture = await openWebhookFixture({ worker: true, webhooks, env: { EGRESS_ALLOW: '' } })
  ;({ receiver, service } = fixture)
  owner = await createOwner(service)
  adminKey = (await service.createKey(owner.account, ['account:admin'])).apiKey
})
afterAll(async () => {
  await fixture?.close()
  names?.close()
})

const submit = (url: string) => {
  const body = { inputs: { text: 'Hi', voice: 'aria', language: 'English' }, webhook_url: url }
  return call(`${service.url}/api/v1/voice/tts`, { method: 'POST', key: owner.key, body })
}
const SET_URL = mutation('setWebhookUrl(url: $url)', '... on Webhook { url }', '($url: URL)')
const setUrl = (url: string) => ask(service.url, adminKey, SET_URL, { url })
const onPort = (text: string, port: number): URL | null => {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:') return null
  url.port = String(port)
  return url
}
const isPublicLiteral = ({ hostname }: URL): boolean => {
  const bytes = toAddressBytes(hostname.replace(/^\[(.*)\]$/, '$1'))
  return bytes !== null && classifyAddress(bytes) === 'public'
}

describe('the corpus of URLs', { timeout: 120_000 }, () => {
  test('gets its verdicts at submission and as the account’s URL, through HTTP', async () => {
    const wrong: unknown[] = []
    for (const { url, expect: verdict } of corpus.filter(({ expect }) => expect !== 'never-connects')) {
      const [reply, set] = [await submit(url), await setUrl(url)]
      const refusal = reply.status === 400 ? reply.json<{ details: { path: string }[] }>().details : []
      if (String(reply.status) !== verdict) wrong.push({ url, verdict, status: reply.status })
      if (verdict === '400' && refusal[0]?.path !== '/webhook_url') wrong.push({ url, refusal })
      if ((codeOf(set) === undefined) !== (verdict === '202')) wrong.push({ url, verdict, set })
    }
    expect(wrong).toEqual([])
    await owner.setUrl(null)
  })

  const named = corpus.filter(({ expect }) => expect === 'never-connects').map(({ url }) => url)

  test.concurrent.each(named)('%j is refused, or accepted and never connected to', async (text) => {
    const reply = await submit(onPort(text, receiver.port)!.href)
    if (reply.status === 400) return
    expect(reply.status).toBe(202)
    const { job_id: jobId } = reply.json<{ job_id: string }>()
    const ended = async () => {
      const { rows } = await service.runtime.db.pool.query<{ id: string }>(
        `select id from webhook_delivery where job_id = $1 and state <> 'pending'`,
        [jobId],
      )
      return rows[0]?.id
    }
    const id = await until(ended, TIMEOUT_MS, `the webhook to ${text} to end`)
    const { attempts, outcome } = await owner.delivery(id as string)
    expect([outcome, attempts.map((attempt) => attempt.outcome)]).toEqual([
      'address_refused',
      Array(4).fill('address_refused'),
    ])
  })

  test.each(corpus.filter(({ expect }) => expect !== '202').map(({ url }) => url))(
    '%j, were it ever stored, is refused by the connector',
    async (text) => {
      const url = onPort(text, receiver.port)
      // A few are refused for another reason than where they lead.
      if (url === null || isPublicLiteral(url)) return
      const connect = guardedConnector({ resolver: systemResolver([names.address]), egressAllow: [] })
      const { hostname, port, protocol } = url
      const error = await new Promise<Error | null>((resolve) => {
        connect({ hostname, port, protocol }, (failure, socket) => {
          socket?.destroy()
          resolve(failure)
        })
      })
      expect(error).toMatchObject({ outcome: 'address_refused' } satisfies Partial<EgressFailure>)
    },
  )

  test('nothing of it ever reached this machine', () => {
    expect(receiver.connections()).toBe(0)
  })
})
