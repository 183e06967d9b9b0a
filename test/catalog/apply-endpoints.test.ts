import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { applyEndpoints } from '../../src/catalog/apply-endpoints.ts'
import { deleteEndpoint } from '../../src/catalog/delete-endpoint.ts'
import { endpoint } from '../setup/fixtures.ts'
import { startTestRuntime, type TestRuntime } from '../setup/runtime.ts'

const APPLIES = 24

let service: TestRuntime
beforeAll(async () => {
  service = await startTestRuntime()
})
afterAll(() => service.close())

const operator = () => service.runtime.as({ kind: 'system' })
const readAudio = () => Promise.reject(new Error('no audio here'))
const apply = (...endpoints: object[]) =>
  applyEndpoints(operator(), { source: JSON.stringify({ endpoints }), readAudio })

describe('applyEndpoints', () => {
  test('succeeds however many apply the same endpoints at once, in whatever order', async () => {
    const [one, two] = ['left', 'right'].map((slug) => endpoint(slug)) as [object, object]
    const orders = Array.from({ length: APPLIES }, (_, n) => (n % 2 === 0 ? [one, two] : [two, one]))
    const outcomes = await Promise.allSettled(orders.map((order) => apply(...order)))
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([])
    const { rows } = await service.runtime.db.pool.query(
      "select endpoint_slug as slug, count(*)::int as voices from voice where endpoint_slug in ('left', 'right') group by 1 order by 1",
    )
    expect(rows).toEqual([
      { slug: 'left', voices: 1 },
      { slug: 'right', voices: 1 },
    ])
  })

  test('tells every process by the commit itself: a change that fails is announced to no process', async () => {
    const heard = vi.fn()
    const unlisten = await service.runtime.notifier.listen('sonant_catalog', heard)
    await expect(deleteEndpoint(operator(), { slug: 'nothing' })).rejects.toThrow('there is no endpoint')
    await apply(endpoint('heard'))
    await expect.poll(() => heard).toHaveBeenCalledTimes(1)
    await deleteEndpoint(operator(), { slug: 'heard' })
    await expect.poll(() => heard).toHaveBeenCalledTimes(2)
    unlisten()
  })
})
