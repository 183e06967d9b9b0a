import { readFileSync } from 'node:fs'
import { toUUID } from 'typeid-js'
import { expect, test } from 'vitest'
import { newApiKey } from '../../src/api-keys/api-key.ts'
import { firstIdAt, idTime, isId, newId } from '../../src/values/id.ts'

const CELLS = [...'0123456789abcdefghijklmnopqrstuvwxyz']
const AT = new Date('2026-11-29T12:00:00.123Z')
const LATER = new Date(AT.getTime() + 1)
const uuidOf = (id: string) => toUUID(id as Parameters<typeof toUUID>[0])
const example = (name: string) => readFileSync(new URL(`../../examples/cells/${name}`, import.meta.url), 'utf8')
/** As the example for HAProxy finds it. */
const [, MARK = ''] = /regsub\("\^\.\*\/(job_\S+)\(\.\.\)/.exec(example('haproxy.cfg')) ?? []
const markOf = (id: string) => new RegExp(`^${MARK}(..)`).exec(id)?.[1]

test.each(CELLS)('an id of cell %s is a TypeID of a UUIDv7, and sorts by time among those without a mark', (cell) => {
  const ids = Array.from({ length: 20 }, () => newId('job', AT, cell))
  for (const id of ids) {
    expect(isId('job', id)).toBe(true)
    expect(uuidOf(id)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(idTime(id)).toEqual(AT)
    expect([firstIdAt('job', AT) < id, id < firstIdAt('job', LATER)]).toEqual([true, true])
    expect([id < newId('job', LATER), id > newId('job', new Date(AT.getTime() - 1))]).toEqual([true, true])
  }
  expect(new Set(ids).size).toBe(20)
})

test('each cell has a mark of its own, which says its letter or digit, and an id of no cell has none', () => {
  const marks = CELLS.map((cell) => markOf(newId('job', AT, cell)) ?? '')
  expect(marks.filter((mark) => mark.startsWith('0'))).toEqual(
    CELLS.filter((cell) => !'ilou'.includes(cell)).map((cell) => `0${cell}`),
  )
  expect(Object.fromEntries([...'ilou'].map((cell) => [cell, marks[CELLS.indexOf(cell)]]))).toEqual({
    i: '1h',
    l: '1k',
    o: '1n',
    u: '1t',
  })
  expect(markOf(newId('job'))).toBeUndefined()
})

test.each(['a', 'b'])('the example leads keys, ids and the host of the cell %s to its backend', (cell) => {
  const marks = [newApiKey(cell).split('_')[1], markOf(newId('job', AT, cell)), `${cell}.voice.example.org`]
  const lines = example('cells.map')
    .split('\n')
    .filter((line) => line.endsWith(` cell_${cell}`))
  expect(lines.map((line) => line.split(/ +/)[0])).toEqual(marks)
  expect(example('haproxy.cfg')).toContain(`\nbackend cell_${cell}\n`)
})
