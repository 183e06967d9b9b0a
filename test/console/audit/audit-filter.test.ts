import { expect, test } from 'vitest'
import { auditFilterOf } from '../../../src/console/audit/audit-filter.ts'

const NOW = Date.parse('2026-03-02T12:00:00Z')

test('a window of the audit is named, or has its own ends, one of which may be open', () => {
  const windowOf = (query: Record<string, string>) => auditFilterOf(query, NOW)
  expect(windowOf({ window: '1h', from: '2026-01-01' })).toEqual({
    filter: { createdAt: { from: '2026-03-02T11:00:00.000Z' } },
    dropped: [],
  })
  const [from, to] = ['2026-01-01T08:30:00.000Z', '2026-01-02T00:00:00.000Z']
  expect(windowOf({ from: '2026-01-01T08:30Z', to, action: 'key_created' })).toEqual({
    filter: { actions: ['KEY_CREATED'], createdAt: { from, to } },
    dropped: [],
  })
  expect(windowOf({ to })).toEqual({ filter: { createdAt: { to } }, dropped: [] })
})

test('what an old link asks for in vain is named', () => {
  expect(
    auditFilterOf({ window: '2y', from: 'soon', to: 'never', action: 'endpoint_painted,key_created' }, NOW),
  ).toEqual({
    filter: { actions: ['KEY_CREATED'] },
    dropped: ['action', 'window', 'from', 'to'],
  })
})
