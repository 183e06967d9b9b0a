import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exportQuery, filterOf, isFiltered, orderOf, STATUSES, TYPES } from '../../../src/console/jobs/jobs-filter.ts'

const NOW = Date.parse('2026-11-22T12:00:42Z')

describe("the filter of an address's query", () => {
  test('takes comma lists, an id prefix and a window that begins at a whole minute', () => {
    const query = { status: 'failed,queued', type: 'voice', error: 'job_timeout', search: 'job_01', window: '24h' }
    expect(filterOf(query, NOW)).toEqual({
      filter: {
        statuses: ['QUEUED', 'FAILED'],
        types: ['VOICE'],
        errorCodes: ['JOB_TIMEOUT'],
        idPrefix: 'job_01',
        createdAt: { from: '2026-11-21T12:00:00.000Z' },
      },
      dropped: [],
    })
  })

  test('takes a window by its ends, or by one of them, unless it has a name', () => {
    const [from, to] = ['2026-10-01T00:00Z', '2026-10-02T00:00Z']
    const windowsOf = (query: Record<string, string>) => filterOf(query, NOW).filter.createdAt
    expect([windowsOf({ from, to }), windowsOf({ to }), windowsOf({ window: '24h', from, to })]).toEqual([
      { from: '2026-10-01T00:00:00.000Z', to: '2026-10-02T00:00:00.000Z' },
      { to: '2026-10-02T00:00:00.000Z' },
      { from: '2026-11-21T12:00:00.000Z' },
    ])
    expect(filterOf({ from, to: 'then' }, NOW)).toMatchObject({ dropped: ['to'] })
  })

  test('leaves out what fits no more, and names it', () => {
    const query = { status: 'failed,lost', key: 'none', window: '2y', search: "'; drop", sort: 'constructor' }
    const { filter, dropped } = filterOf(query, NOW)
    expect([filter, dropped]).toEqual([{ statuses: ['FAILED'] }, ['window', 'sort', 'status', 'key', 'search']])
    expect([filterOf({ sort: 'longest' }, NOW).dropped, orderOf(query)]).toEqual([[], undefined])
  })

  test('names an order that it does not know', () => {
    const droppedOf = (sort: string) => filterOf({ sort }, NOW).dropped
    expect(['longest', '', 'widest', 'constructor'].map(droppedOf)).toEqual([[], [], ['sort'], ['sort']])
  })

  test('gives every choice of statuses and types back, whatever their order', () => {
    fc.assert(
      fc.property(fc.subarray([...STATUSES]), fc.subarray([...TYPES]), (statuses, types) => {
        const { filter, dropped } = filterOf({ status: statuses.join(','), type: types.join(',').toLowerCase() }, NOW)
        expect([filter.statuses ?? [], filter.types ?? [], dropped]).toEqual([statuses, types, []])
      }),
    )
  })

  test('is none without parameters that filter; the order is one of its own', () => {
    expect([isFiltered({ sort: 'longest' }), isFiltered({ type: 'voice' })]).toEqual([false, true])
    expect([orderOf({ sort: 'longest' }), orderOf({})]).toEqual([{ field: 'DURATION', direction: 'DESC' }, undefined])
  })
})

test("a filter's export has all of it in its address, besides the time", () => {
  const query = { status: 'failed,queued', type: 'voice', error: 'job_timeout', endpoint: 'voice.tts', search: 'job_0' }
  const { filter } = filterOf({ ...query, window: '24h', sort: 'oldest' }, Date.UTC(2026, 10, 28))
  expect(exportQuery(filter)).toEqual({ ...query, status: 'queued,failed' })
  expect(exportQuery({})).toEqual({})
})
