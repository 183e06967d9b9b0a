import { readFileSync } from 'node:fs'
import { buildSchema, findBreakingChanges, findDangerousChanges } from 'graphql'
import { describe, expect, test } from 'vitest'
import { graphqlSchema } from '../../src/graphql/schema.ts'

/** The schema of the last release: docs/graphql.md, "Limits". */
const RELEASED = readFileSync(new URL('released.graphql', import.meta.url), 'utf8')
/**
 * Changes since the last release that a client might stumble over, each accepted here by its description, and why. Empty again with
 * every release.
 */
const ACCEPTED: readonly string[] = [
  // Who filters by none finds the same jobs.
  'An optional field JobsFilter.words was added.',
  // It has the fields that the interface asks for.
  'Error added to interfaces implemented by RequestError.',
  // Who sends none is served as before.
  'An optional argument Mutation.applyEndpoints(dryRun:) was added.',
  'An optional argument Mutation.creditAccount(idempotencyKey:) was added.',
  'An optional argument Mutation.creditAccount(largeAmount:) was added.',
  'An optional argument Mutation.createAccount(largeCredits:) was added.',
  'An optional argument Mutation.retryJob(idempotencyKey:) was added.',
  'An optional argument Mutation.submitVoiceJob(audioFormat:) was added.',
  'An optional argument Mutation.submitVoiceJob(captions:) was added.',
  'An optional argument Mutation.submitVoiceJob(live:) was added.',
  'An optional argument Mutation.submitVoiceJob(options:) was added.',
  'An optional argument Mutation.submitGeneration(options:) was added.',
  ...['createdAt', 'endpointKeys', 'filter', 'outcomes', 'states'].map(
    (name) => `An optional argument Query.webhookDeliveries(${name}:) was added.`,
  ),
  ...['deliveryStates', 'ids', 'languages', 'tags', 'userIds', 'voices'].map(
    (name) => `An optional field JobsFilter.${name} was added.`,
  ),
  ...['Query.job', 'Query.voiceJob', 'Mutation.cancelJob', 'Mutation.retryJob'].map(
    (field) => `An optional argument ${field}(id:) was added.`,
  ),
  'An optional argument Subscription.jobsUpdated(where:) was added.',
  'An optional argument Query.creditEntries(createdAt:) was added.',
  'An optional argument Query.creditEntries(kinds:) was added.',
  'An optional argument Mutation.createApiKey(expiresAt:) was added.',
  'An optional argument Mutation.createApiKey(monthlyLimit:) was added.',
  'An optional argument Mutation.createApiKey(maxRunning:) was added.',
  'An optional argument Mutation.updateApiKey(monthlyLimit:) was added.',
  'An optional argument Mutation.updateApiKey(maxRunning:) was added.',
  'An optional argument Query.account(account:) was added.',
  'An optional argument Query.accounts(search:) was added.',
  'An optional argument Query.apiKeys(account:) was added.',
  'An optional argument Query.jobStats(account:) was added.',
  'An optional argument Query.jobStats(all:) was added.',
  'An optional argument Query.jobStats(timeZone:) was added.',
  'An optional field JobOrder.includeUnfinished was added.',
  ...['COST', 'STARTED_AT', 'WAIT'].map((name) => `Enum value JobOrderField.${name} was added.`),
  // Callers send it; no answer has it.
  ...['LANGUAGE', 'TAG', 'USER', 'VOICE'].map((name) => `Enum value JobGroup.${name} was added.`),
  // No mutation fails with it.
  'Enum value ErrorCode.JOB_UNFINISHED was added.',
  // Only of operators who sign in, which there were none of before.
  'Enum value ErrorCode.REAUTHENTICATION_REQUIRED was added.',
  // Only of audio that was deleted, and of ledgers whose jobs were: neither could be before.
  'Enum value CreditKind.CARRIED was added.',
  'Enum value ErrorCode.GONE was added.',
]

const released = buildSchema(RELEASED)
const changesOf = (now: string) => ({
  breaking: findBreakingChanges(released, buildSchema(now)).map(({ description }) => description),
  dangerous: findDangerousChanges(released, buildSchema(now)).map(({ description }) => description),
})

describe('the schema since the last release', () => {
  const current = graphqlSchema

  test('breaks no client', () => {
    expect(findBreakingChanges(released, current).map(({ description }) => description)).toEqual([])
  })

  test('changes nothing that a client may stumble over, but what is accepted above', () => {
    const dangerous = findDangerousChanges(released, current).map(({ description }) => description)
    expect(dangerous.filter((description) => !ACCEPTED.includes(description))).toEqual([])
    expect(ACCEPTED.filter((description) => !dangerous.includes(description))).toEqual([])
  })

  test.each([
    [
      'a field that is gone',
      (sdl: string) => sdl.replaceAll('queuePosition: Int', 'queuePlace: Int'),
      /queuePosition was removed/,
    ],
    [
      'a field that may be null',
      (sdl: string) => sdl.replace(/^ {2}attempts: Int!$/gm, '  attempts: Int'),
      /attempts changed/,
    ],
    [
      'an argument that is needed',
      (sdl: string) => sdl.replace('idempotencyKey: String\n', 'idempotencyKey: String!\n'),
      /idempotencyKey/,
    ],
    [
      'an enum value that is gone',
      (sdl: string) => sdl.replace(/^ {2}JOB_CANCELLED$/m, '  JOB_STOPPED'),
      /JOB_CANCELLED was removed/,
    ],
  ])('%s would be noticed', (_title, change, expected) => {
    const changed = change(RELEASED)
    expect(changed).not.toBe(RELEASED)
    expect(changesOf(changed).breaking.join('\n')).toMatch(expected)
  })

  test('a new value of an enum, which an old client does not know, would be noticed', () => {
    const { breaking, dangerous } = changesOf(RELEASED.replace(/^enum JobStatus \{$/m, 'enum JobStatus {\n  PAUSED'))
    expect([breaking, dangerous]).toEqual([[], ['Enum value JobStatus.PAUSED was added.']])
  })
})
