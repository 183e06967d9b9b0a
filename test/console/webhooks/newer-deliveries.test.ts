import { expect, test } from 'vitest'
import { noted } from '../../../src/console/api/socket/noted-changes.ts'
import { newerDeliveries } from '../../../src/console/webhooks/newer-deliveries.ts'

const delivery = (id: string, state = 'PENDING', outcome: string | null = null) => ({ id, state, outcome })
const heardOf = (...rows: ReturnType<typeof delivery>[]) =>
  noted<ReturnType<typeof delivery>>(new Map(), new Map(rows.map((row) => [row.id, row])), 1)
const LOADED = [delivery('msg_7'), delivery('msg_3')]

test('of all deliveries those are newer that began after the newest row', () => {
  const heard = heardOf(delivery('msg_7'), delivery('msg_5'), delivery('msg_8'))
  expect([newerDeliveries(LOADED, heard, {}), newerDeliveries([], heard, {})]).toEqual([1, 3])
})

test('of a state or an outcome those are newer as well that have come into it, and no others', () => {
  const heard = heardOf(
    delivery('msg_1', 'FAILED', 'timeout'),
    delivery('msg_5', 'FAILED', 'timeout'),
    delivery('msg_6', 'FAILED', 'status_500'),
    delivery('msg_8', 'SUCCEEDED', 'succeeded'),
    delivery('msg_9'),
  )
  expect([
    newerDeliveries(LOADED, heard, { states: ['FAILED'] }),
    newerDeliveries(LOADED, heard, { outcomes: ['timeout'] }),
    newerDeliveries(LOADED, heard, { states: ['PENDING'], outcomes: ['timeout'] }),
  ]).toEqual([2, 1, 0])
})
