import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseExposition } from '../../setup/checks/exposition.ts'
import { call } from '../../setup/http.ts'
import { ask } from '../../setup/service/graphql.ts'
import { startTestRuntime, type TestRuntime } from '../../setup/service/runtime.ts'
import { openSocketClient } from '../../setup/service/subscriber.ts'

let service: TestRuntime
let key: string
beforeAll(async () => {
  service = await startTestRuntime({ env: { METRICS_PORT: '0' } })
  key = (await service.createCaller()).key
})
afterAll(() => service?.close())

const counts = async () => {
  const families = parseExposition((await call(`${service.metricsUrl}/metrics`)).text)
  const samples = families.get('sonant_graphql_operation_duration_seconds')?.samples ?? []
  const ours = samples.filter(({ name }) => name.endsWith('_count'))
  return Object.fromEntries(ours.map(({ labels, value }) => [`${labels.root_field} ${labels.outcome}`, value]))
}
const SKIPPING = 'query ($b: Boolean!) { account @skip(if: $b) { name } }'

test('an operation that is rejected is counted once, as its caller’s mistake, whatever it came over', async () => {
  await ask(service.url, key, '{ account { name } }')
  expect(await counts()).toEqual({ 'account ok': 1 })
  await ask(service.url, key, SKIPPING)
  expect(await counts()).toEqual({ 'account ok': 1, 'other INVALID_REQUEST': 1 })
  const client = openSocketClient(service.url, key)
  for (const document of ['{', '{ nothing }', SKIPPING]) {
    const before = (await counts())['other INVALID_REQUEST']!
    await client.subscribe(document).ended()
    expect([document, await counts()]).toEqual([document, { 'account ok': 1, 'other INVALID_REQUEST': before + 1 }])
  }
  await client.dispose()
})
