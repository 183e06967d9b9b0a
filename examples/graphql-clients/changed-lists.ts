import type { ApolloCache, TypePolicies } from '@apollo/client'
import type { CacheExchangeOpts, UpdateResolver } from '@urql/exchange-graphcache'

/** Mutations that make or delete jobs. */
const JOBS = ['jobs', 'allJobs', 'jobStats', 'jobSeries', 'account', 'viewer']
const KEYS = ['apiKeys', 'account', 'viewer', 'me']
const USERS = ['users', 'account', 'viewer']
const DELIVERIES = ['webhookDeliveries', 'webhookStats', 'viewer']
const VOICES = ['accountVoices', 'account', 'viewer']
const ENDPOINTS = ['endpoints', 'workflows', 'catalog', 'catalogEndpoint', 'myEndpoints', 'endpointVoices', 'viewer']

/**
 * The root fields whose lists a mutation makes longer or shorter. A cache cannot know: where a new object stands in a list is the server's
 * matter. Every other mutation is right by what it answers.
 */
export const CHANGED_LISTS: Readonly<Record<string, readonly string[]>> = {
  submitVoiceJob: JOBS,
  submitGeneration: JOBS,
  chatWithCompanion: JOBS,
  retargetCompanion: JOBS,
  tagMedia: JOBS,
  retryJob: JOBS,
  retryJobs: JOBS,
  cancelJob: JOBS,
  cancelJobs: JOBS,
  deleteJob: [...JOBS, 'job', 'voiceJob', 'node', ...DELIVERIES],
  createApiKey: KEYS,
  deleteApiKey: [...KEYS, 'node'],
  inviteUser: USERS,
  sendTestWebhook: DELIVERIES,
  redeliverWebhook: DELIVERIES,
  redeliverWebhooks: DELIVERIES,
  deleteVoice: [...VOICES, 'node'],
  createAccount: ['accounts'],
  creditAccount: ['creditEntries', 'creditDays', 'viewer'],
  applyEndpoints: ENDPOINTS,
  deleteEndpoint: [...ENDPOINTS, 'node'],
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
