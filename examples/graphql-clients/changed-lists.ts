import type { ApolloCache, TypePolicies } from '@apollo/client'
import type { CacheExchangeOpts, UpdateResolver } from '@urql/exchange-graphcache'

/** Objects that have lists, counts or sums of other ones: each of these fields may lead to them. */
const OWNERS = ['viewer', 'account', 'accounts', 'me', 'node', 'nodes']
const JOBS = ['jobs', 'allJobs', 'jobPage', 'jobStats', 'jobSeries', 'failureCauses', 'pools', 'viewer']
const JOB = ['job', 'voiceJob', 'node', 'nodes']
const LEDGER = ['creditEntries', 'creditDays', ...OWNERS]
const DELIVERIES = ['webhookDeliveries', 'webhookStats', 'webhook', ...OWNERS]
const AUDIT = ['auditEntries', 'viewer']
const KEYS = ['apiKeys', 'users', ...OWNERS]
const USERS = ['users', ...OWNERS]
const SESSIONS = ['users', 'viewer', 'me', 'node', 'nodes']
const VOICES = ['accountVoices', ...OWNERS]
const CATALOG = ['catalog', 'catalogEndpoint', 'myEndpoints', 'endpointSchema', 'endpointVoices', 'viewer']
const ENDPOINTS = ['endpoints', 'workflows', 'endpointFile', 'pools', 'node', 'nodes', ...CATALOG]
/** A job that is submitted is charged at once; of one that is submitted and has ended, the receiver is told. */
const SUBMITTED = [...JOBS, ...LEDGER]
const ANSWERED = [...SUBMITTED, ...DELIVERIES]
const CANCELLED = [...ANSWERED, ...JOB]
/** Jobs can be listed by the states of their deliveries. */
const SENT = [...DELIVERIES, ...JOBS]

/**
 * The root fields whose lists, counts and sums a mutation changes. A cache cannot know: where a new object stands in a list, and what it counts
 * for, is the server's matter. Every other mutation is right by what it answers.
 */
export const CHANGED_LISTS: Readonly<Record<string, readonly string[]>> = {
  submitVoiceJob: SUBMITTED,
  submitGeneration: SUBMITTED,
  retryJob: SUBMITTED,
  retryJobs: SUBMITTED,
  chatWithCompanion: ANSWERED,
  retargetCompanion: ANSWERED,
  tagMedia: ANSWERED,
  cancelJob: CANCELLED,
  cancelJobs: CANCELLED,
  deleteJob: [...CANCELLED, ...AUDIT],
  createApiKey: [...KEYS, ...AUDIT],
  updateApiKey: [...JOBS, ...JOB, ...AUDIT],
  deleteApiKey: [...KEYS, ...JOBS, ...JOB, ...AUDIT],
  inviteUser: [...USERS, ...AUDIT],
  createSignInLink: AUDIT,
  updateUser: AUDIT,
  disableUser: [...SESSIONS, ...AUDIT],
  enableUser: AUDIT,
  completePerson: [...SESSIONS, ...AUDIT],
  changePassword: [...SESSIONS, ...AUDIT],
  endSession: SESSIONS,
  setWebhookUrl: AUDIT,
  rotateWebhookSecret: AUDIT,
  expireWebhookSecret: AUDIT,
  sendTestWebhook: DELIVERIES,
  redeliverWebhook: SENT,
  redeliverWebhooks: SENT,
  deleteVoice: VOICES,
  setLexicon: OWNERS,
  createAccount: ['accounts', ...AUDIT],
  creditAccount: [...LEDGER, ...AUDIT],
  applyEndpoints: [...ENDPOINTS, ...AUDIT],
  deleteEndpoint: [...ENDPOINTS, ...JOBS, ...JOB, ...AUDIT],
}

/** After these the caller is another one: begin with an empty cache. */
export const NEW_CALLER: ReadonlySet<string> = new Set(['signIn', 'redeemSignInLink', 'signOut'])

/** For urql: `cacheExchange({ keys, updates })`. Lists that a mutation changes are asked for again when they are shown. */
export const updates: CacheExchangeOpts['updates'] = {
  Mutation: Object.fromEntries(
    Object.entries(CHANGED_LISTS).map(([mutation, lists]): [string, UpdateResolver] => [
      mutation,
      (_answer, _args, cache) => {
        for (const { fieldName, arguments: args } of cache.inspectFields('Query'))
          if (lists.includes(fieldName)) cache.invalidate('Query', fieldName, args)
      },
    ]),
  ),
}

/** For Apollo: `client.mutate({ mutation, update: (cache) => forgetLists(cache, 'deleteJob') })`. */
export function forgetLists(cache: ApolloCache, mutation: string): void {
  for (const fieldName of CHANGED_LISTS[mutation] ?? []) cache.evict({ id: 'ROOT_QUERY', fieldName })
  cache.gc()
}

/** For Apollo, as `typePolicies`: an answer has the whole list, which replaces the one before. */
export const replacedLists: TypePolicies = {
  Webhook: { fields: { secrets: { merge: false } } },
  Me: { fields: { sessions: { merge: false } } },
  Lexicon: { fields: { entries: { merge: false } } },
}
