import { expect, test } from 'vitest'
import { listQuery, placeOf } from '../../../src/console/jobs/jobs-address.ts'

const ID = '01kajc7w8te7rsxmpb7cv3m6vz'

test.each([
  [`job_${ID}`, `/jobs/job_${ID}`],
  [` JOB_${ID.toUpperCase()} `, `/jobs/job_${ID}`],
  [`msg_${ID}`, `/webhooks/deliveries/msg_${ID}`],
  [`key_${ID}`, `/keys?key=key_${ID}`],
  [`acct_${ID}`, `/operator/accounts/acct_${ID}`],
  [`job_${ID.slice(1)}`, null],
  [`art_${ID}`, null],
  ['', null],
])('the screen of %j is %s', (text, place) => {
  expect(placeOf(text)).toBe(place)
})

test("a job's address keeps the filters and the order of its list, and not its page", () => {
  expect(listQuery({ status: 'failed', sort: 'oldest', after: 'x', live: 'off', search: '' })).toBe(
    '?status=failed&sort=oldest',
  )
  expect(listQuery({})).toBe('')
})
