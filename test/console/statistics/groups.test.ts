import { expect, test } from 'vitest'
import { GROUPINGS, type Group, groupingOf, groupingOfAll, largestOf } from '../../../src/console/statistics/groups.ts'

const NONE: Group = {
  endpointKey: null,
  apiKeyId: null,
  apiKeyName: null,
  isApiKeyDeleted: false,
  type: null,
  status: null,
  jobs: 1,
  audioSeconds: 0,
  credits: 0,
  runMs: null,
}
const OF_KEY = { ...NONE, apiKeyId: 'key_1', apiKeyName: 'site' }

test('an address names a grouping, and anything else means that by endpoint', () => {
  expect(['key', 'type', 'status', 'endpoint'].map(groupingOf)).toEqual(['key', 'type', 'status', 'endpoint'])
  expect([undefined, '', 'KEY', 'constructor', '__proto__'].map(groupingOf)).toEqual(Array(5).fill('endpoint'))
})

test('each group has a name, and the filter of its jobs where there is one', () => {
  const { key, type, status, endpoint } = GROUPINGS
  expect([key.nameOf(OF_KEY), key.filterOf(OF_KEY)]).toEqual(['site', { key: 'key_1' }])
  const deleted = { ...OF_KEY, isApiKeyDeleted: true }
  expect(key.nameOf(deleted)).toBe('\u2068site\u2069, deleted')
  expect(key.nameOf({ ...deleted, apiKeyName: null })).toBe('A deleted key')
  expect([key.nameOf(NONE), key.filterOf(NONE)]).toEqual(['no key: the console', null])
  const chat = { ...NONE, type: 'COMPANION_CHAT' } as const
  expect([type.nameOf(chat), type.filterOf(chat)]).toEqual(['Companion chat', { type: 'companion_chat' }])
  expect(status.filterOf({ ...NONE, status: 'FAILED' })).toEqual({ status: 'failed' })
  expect(endpoint.filterOf({ ...NONE, endpointKey: 'voice.tts' })).toEqual({ endpoint: 'voice.tts' })
})

test('groups that are still those of another grouping are called as they are', () => {
  expect(groupingOfAll([{ ...NONE, endpointKey: 'voice.tts' }], 'key')).toBe('endpoint')
  expect(groupingOfAll([OF_KEY], 'status')).toBe('key')
  expect(groupingOfAll([NONE, OF_KEY], 'status')).toBe('key')
  expect(groupingOfAll([{ ...NONE, type: 'VOICE' }], 'key')).toBe('type')
  expect(groupingOfAll([{ ...NONE, status: 'FAILED' }], 'key')).toBe('status')
  expect(groupingOfAll([], 'type')).toBe('type')
})

test('the fifty groups with the most jobs are shown, however many there are', () => {
  const groups = Array.from({ length: 60 }, (_, jobs) => ({ ...OF_KEY, apiKeyId: `key_${jobs}`, jobs }))
  const { shown, more } = largestOf(groups)
  expect([shown.length, shown[0]?.jobs, shown.at(-1)?.jobs, more]).toEqual([50, 59, 10, 10])
  expect(largestOf([OF_KEY])).toEqual({ shown: [OF_KEY], more: 0 })
})
