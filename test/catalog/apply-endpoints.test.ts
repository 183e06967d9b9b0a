import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { applyEndpoints } from '../../src/catalog/apply-endpoints.ts'
import { deleteEndpoint } from '../../src/catalog/change-catalog.ts'
import { endpointFile } from '../../src/catalog/files/write-endpoint.ts'
import { endpoint } from '../setup/jobs/fixtures.ts'
import { startTestRuntime, type TestRuntime } from '../setup/service/runtime.ts'

const APPLIES = 24
const TAKEN = 'endpoints.0.engine.pool must not be cog, companion, other: that name is taken by measurements'

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

  test('takes a pool that measurements have a name for only where an endpoint has it already', async () => {
    const { db, catalog } = service.runtime
    const inPool = (slug: string, pool: string) => ({ ...endpoint(slug), engine: { kind: 'espeak', pool } })
    for (const pool of ['cog', 'companion', 'other'])
      await expect(apply(inPool('new', pool))).rejects.toMatchObject({ details: [{ message: TAKEN }] })
    await apply(endpoint('older'))
    await db.pool.query(
      `update voice_endpoint set engine = '{"kind":"espeak","pool":"other"}', updated_at = now() where slug = 'older'`,
    )
    await catalog.reload()
    expect((await apply(inPool('older', 'other'))).applied).toEqual(['older'])
    await deleteEndpoint(operator(), { slug: 'older' })
  })

  test('is told by the file that it writes what was applied, of loudness as well, and a value that goes without saying changes nothing', async () => {
    await apply({ ...endpoint('quiet'), loudness: 'as_is' })
    const shown = await endpointFile(operator(), { slug: 'quiet' })
    expect(shown).toContain('loudness: as_is')
    const again = { source: shown, readAudio, dryRun: true }
    expect((await applyEndpoints(operator(), again)).changes).toMatchObject([{ isNew: false, fields: [] }])
    await apply({ ...endpoint('quiet'), loudness: 'normal', text_normalization: 'off' })
    expect(await endpointFile(operator(), { slug: 'quiet' })).toContain('text_normalization: off')
    await apply({ ...endpoint('quiet'), loudness: 'normal', text_normalization: 'auto' })
    expect(await endpointFile(operator(), { slug: 'quiet' })).not.toContain('text_normalization')
    await apply({ ...endpoint('quiet'), markup: 'markdown', code: 'skip' })
    expect(await endpointFile(operator(), { slug: 'quiet' })).toMatch(/markup: markdown\s+code: skip/)
    await apply({ ...endpoint('quiet'), markup: 'markdown', code: 'read' })
    expect(await endpointFile(operator(), { slug: 'quiet' })).not.toContain('code')
    await expect(apply({ ...endpoint('quiet'), markup: 'ssml', code: 'skip' })).rejects.toThrow()
    await apply({ ...endpoint('quiet'), loudness: 'normal' })
    const unknown = apply({ ...endpoint('quiet'), text_normalization: 'yes' })
    await expect(unknown).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    expect(await endpointFile(operator(), { slug: 'quiet' })).not.toContain('loudness')
    expect((await apply({ ...endpoint('quiet'), loudness: 'normal' })).changes).toMatchObject([{ fields: [] }])
    await expect(apply({ ...endpoint('quiet'), loudness: 'loud' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  test('tells every process by the commit itself: a change that fails is announced to no process', async () => {
    const heard = vi.fn()
    const unlisten = await service.runtime.notifier.listen('sonant_catalog', heard)
    // Earlier announcements arrive before this one.
    await service.runtime.notifier.notify('sonant_catalog', 'from now on')
    await expect.poll(() => heard).toHaveBeenCalledWith('from now on')
    heard.mockClear()
    await expect(deleteEndpoint(operator(), { slug: 'nothing' })).rejects.toThrow(
      'No endpoint or workflow with the slug "nothing".',
    )
    await apply(endpoint('heard'))
    await expect.poll(() => heard).toHaveBeenCalledTimes(1)
    await deleteEndpoint(operator(), { slug: 'heard' })
    await expect.poll(() => heard).toHaveBeenCalledTimes(2)
    unlisten()
  })
})
