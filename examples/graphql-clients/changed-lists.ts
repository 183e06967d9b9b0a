import type { ApolloCache, TypePolicies } from '@apollo/client'
import type { Cache, CacheExchangeOpts, Data, DataField, UpdateResolver } from '@urql/exchange-graphcache'

const JOBS = ['jobs', 'allJobs', 'jobPage', 'neighbours', 'queuePosition', 'failureCauses', 'pools']
const SUMS = ['jobStats', 'jobSeries', 'usageDays']
const LEDGER = ['creditEntries', 'creditDays', 'credits', 'spending']
const DELIVERIES = ['deliveries', 'webhookDeliveries', 'webhookStats']
const AUDIT = ['auditEntries']
const KEYS = ['apiKeys', 'apiKeyCount', ...AUDIT]
const KEY_NAMES = ['apiKey', 'apiKeyName', 'submittedBy', ...SUMS]
const CATALOG = ['catalogVersion', 'catalogEndpoint', 'myEndpoints', 'endpointSchema', 'endpointVoices']
/** The words in which an endpoint speaks a text. */
const READINGS = ['reading', 'textLanguage']
const SUBMITTED = [...JOBS, ...SUMS, 'usedThisMonth', 'limitShare']
/** The mutation ends a job: it is charged or refunded, and sent to the receiver. */
const ENDED = [...SUBMITTED, ...LEDGER, ...DELIVERIES]
/** A project has its chapters under several arguments. */
const PROJECT = ['projects', 'chapters', 'versions']
const TAKES = ['chapters', 'takes', 'spokenCount']
/** Objects that queries may hold by id, or as none: ids of endpoints are known before and after them. */
const BY_ID = ['Query.node', 'Query.nodes']
const ENDPOINTS = [
  'endpoints',
  'endpoint',
  'workflows',
  'endpointFile',
  'pools',
  ...CATALOG,
  ...READINGS,
  ...AUDIT,
  ...BY_ID,
]
/** The changed key or user may be the caller, who then may do more or less. */
const CALLER = ['Viewer.scopes', 'Viewer.endpoints', 'isOperator', 'grantableScopes', 'myEndpoints']

/**
 * Lists, counts and sums that a mutation changes, by the names of their fields, whichever objects have them. A cache cannot know them: the server
 * decides where a new object stands in a list, and which sums count it. Every other mutation is right by its answer.
 */
export const CHANGED_LISTS: Readonly<Record<string, readonly string[]>> = {
  submitVoiceJob: SUBMITTED,
  submitVoiceJobs: SUBMITTED,
  submitGeneration: SUBMITTED,
  retryJob: SUBMITTED,
  retryJobs: SUBMITTED,
  chatWithCompanion: ENDED,
  retargetCompanion: ENDED,
  tagMedia: ENDED,
  cancelJob: ENDED,
  cancelJobs: ENDED,
  deleteJob: [...ENDED, ...AUDIT, ...BY_ID, 'job', 'voiceJob'],
  deleteJobs: [...ENDED, ...AUDIT, ...BY_ID, 'job', 'voiceJob'],
  createApiKey: KEYS,
  updateApiKey: [...KEY_NAMES, ...CALLER, ...AUDIT],
  deleteApiKey: [...KEYS, ...KEY_NAMES, ...BY_ID],
  inviteUser: ['users', 'userCount', ...AUDIT],
  createSignInLink: AUDIT,
  updateUser: [...CALLER, ...AUDIT],
  disableUser: ['sessions', ...AUDIT],
  resetPassword: ['sessions', ...AUDIT],
  enableUser: AUDIT,
  completePerson: ['sessions', ...AUDIT],
  changePassword: ['sessions', ...AUDIT],
  endSession: ['sessions'],
  setWebhookUrl: AUDIT,
  rotateWebhookSecret: AUDIT,
  expireWebhookSecret: AUDIT,
  sendTestWebhook: DELIVERIES,
  // Jobs can be listed by the states of their deliveries.
  redeliverWebhook: [...DELIVERIES, ...JOBS, ...SUMS],
  redeliverWebhooks: [...DELIVERIES, ...JOBS, ...SUMS],
  deleteVoice: ['accountVoices', 'voices', 'voiceCount', ...BY_ID],
  setLexicon: ['lexicon', 'reading'],
  createProject: ['projects'],
  saveProject: PROJECT,
  restoreProjectVersion: PROJECT,
  speakParagraphs: [...SUBMITTED, ...TAKES],
  chooseTake: TAKES,
  deleteProject: ['projects', 'project', ...AUDIT, ...BY_ID],
  createAccount: ['accounts', ...AUDIT],
  creditAccount: [...LEDGER, ...AUDIT],
  updateAccount: ['accounts', ...AUDIT],
  disableAccount: AUDIT,
  enableAccount: AUDIT,
  applyEndpoints: ENDPOINTS,
  deleteEndpoint: ENDPOINTS,
  pullModel: ['models', ...ENDPOINTS],
}

/** After these the caller is another one: begin with an empty cache. */
export const NEW_CALLER: ReadonlySet<string> = new Set(['signIn', 'redeemSignInLink', 'signOut'])

/** For urql: `cacheExchange({ keys, updates })`. Lists that a mutation changes are asked for again when they are shown. */
export const updates: CacheExchangeOpts['updates'] = {
  Mutation: Object.fromEntries(
    Object.entries(CHANGED_LISTS).map(([mutation, lists]): [string, UpdateResolver] => [
      mutation,
      (answer, _args, cache) => forgetFields(cache, lists, fieldsOf(cache, answer)),
    ]),
  ),
}

/** Goes through all that queries have left in the cache, and keeps what the answer says. */
function forgetFields(cache: Cache, names: readonly string[], answered: ReadonlySet<string>): void {
  const found: [entity: string, isForgotten: boolean][] = [['Query', false]]
  const seen = new Set<string>()
  for (const [entity, isForgotten] of found) {
    if (seen.has(entity)) continue
    seen.add(entity)
    for (const { fieldKey, fieldName, arguments: args } of cache.inspectFields(entity)) {
      const field = `${entity}.${fieldName}`
      const goes =
        isForgotten ||
        ((names.includes(fieldName) || names.includes(field.replace(':own', ''))) && !answered.has(field))
      const links = [cache.resolve(entity, fieldKey) as unknown].flat(Number.POSITIVE_INFINITY)
      // An object without an id goes with the field that has it.
      for (const link of links) if (typeof link === 'string') found.push([link, goes && link.startsWith(`${entity}.`)])
      if (goes) cache.invalidate(entity, fieldName, args)
    }
  }
}

function fieldsOf(cache: Cache, answer: DataField): Set<string> {
  if (Array.isArray(answer)) return new Set(answer.flatMap((one) => [...fieldsOf(cache, one)]))
  if (typeof answer !== 'object' || answer === null) return new Set()
  const key = cache.keyOfEntity(answer as Data)
  return new Set(Object.entries(answer).flatMap(([name, part]) => [`${key}.${name}`, ...fieldsOf(cache, part)]))
}

/** For Apollo: `client.mutate({ mutation, update: (cache) => forgetLists(cache, 'deleteJob') })`. */
export function forgetLists(cache: ApolloCache, mutation: string): void {
  const ids = Object.keys(cache.extract() as object)
  for (const name of CHANGED_LISTS[mutation] ?? []) {
    const [fieldName = name, type] = name.split('.').reverse()
    const idOf = type === 'Query' ? 'ROOT_QUERY' : (type ?? '')
    for (const id of ids) if (id.startsWith(idOf)) cache.evict({ id, fieldName })
  }
  cache.gc()
}

/** For Apollo, as `typePolicies`: an answer has the whole list, which replaces the one before. */
export const replacedLists: TypePolicies = {
  Webhook: { fields: { secrets: { merge: false } } },
  Me: { fields: { sessions: { merge: false } } },
  Lexicon: { fields: { entries: { merge: false } } },
  Project: { fields: { chapters: { merge: false }, settings: { merge: false }, speakers: { merge: false } } },
}
