import { expect, test } from 'vitest'
import { usageCsv, usedBy } from '../../../src/console/credits/usage-groups.ts'

const NONE = { isDeleted: false, credits: 0, jobs: 0, characters: 0, audioSeconds: 0 }

test('groups have their names, the dearest first, and none without use; the file has the same rows', () => {
  const used = [
    { ...NONE, group: 'key_1', name: 'Website', credits: 100, jobs: 3, characters: 100 },
    { ...NONE, group: null, name: null, jobs: 1 },
    { ...NONE, group: 'key_2', name: null, isDeleted: true, credits: 90, jobs: 1, characters: 90, audioSeconds: 4.5 },
    { ...NONE, group: 'key_4', name: 'Batch', isDeleted: true, credits: 80 },
    { ...NONE, group: 'key_3', name: '=evil' },
  ]
  const groups = usedBy(used, 'key')
  expect(groups.map(({ name, credits, jobs }) => [name, credits, jobs])).toEqual([
    ['Website', 100, 3],
    ['A deleted key', 90, 1],
    ['Batch', 80, 0],
    ['This console, without a key', 0, 1],
  ])
  expect(usageCsv(groups).split('\r\n')).toEqual([
    '\uFEFFname,id,credits,jobs,characters,audioSeconds',
    'Website,key_1,100,3,100,0',
    'A deleted key,key_2,90,1,90,4.5',
    '"Batch, deleted",key_4,80,0,0,0',
    '"This console, without a key",,0,1,0,0',
    '',
  ])
})
