import { GENERATION_SCOPE, VOICE_SCOPE } from '../access/scopes.ts'
import type { Catalog, CatalogSnapshot, VoiceEndpoint, Workflow } from '../context/catalog-snapshot.ts'
import { DEFAULT_IN_FLIGHT, serverAddress, serversOf } from '../engines/engine.ts'
import { type JobKind, voiceKind } from '../queue/job-kind.ts'
import type { QueueRoute } from '../queue/queue.ts'
import { poolOf } from './voice-endpoint.ts'

const EMBEDDED_KINDS: ReadonlySet<string> = new Set(['espeak', 'sherpa-onnx'])
const COMPANION = 'companion'
const UNKNOWN = 'other'
/** No address holds it. */
const SEPARATOR = ' '

export type Servers = Pick<CatalogSnapshot, 'endpoints' | 'workflows'>

interface Kind {
  /** The type of its jobs in GraphQL, and descriptions of it and of their origin. */
  readonly graphql: { readonly name: string; readonly description: string; readonly origin: string }
  /** Absent: the request performs the job itself. */
  readonly queued?: QueuedKind<unknown>
}

interface QueuedKind<Target> {
  /** Submits and cancels its jobs. */
  readonly scope: string
  /** Names the slug of its endpoint key in a result. */
  readonly slugAs: 'endpointSlug' | 'workflowSlug'
  /** One pool for all its jobs, as measurements name it, and its queue. Absent: each target names a pool. */
  readonly shared?: SharedPool
  /** Callers submit its jobs to these, by slug. */
  targets(servers: Servers): ReadonlyMap<string, Target>
  poolOf(target: Target): string
  routeOf(target: Target): QueueRoute
  /** The servers that its jobs may use; empty: the workers' slots limit them. */
  limitsOf(target: Target): readonly ServerLimit[]
}

export interface ServerLimit {
  readonly server: string
  /** Concurrent requests over all workers. */
  readonly limit: number
}

interface SharedPool {
  readonly pool: string
  readonly queue: string
}

const queued = <Target>(kind: QueuedKind<Target>): QueuedKind<unknown> => kind

/** A generation may keep its engine for many minutes. */
const GENERATIONS: SharedPool = { pool: 'cog', queue: 'generate.cog' }
export const GENERATION_KIND: JobKind = { queue: GENERATIONS.queue }

/** Every kind of job by its type. The key of a queued job is its type, a dot and the slug. `worker/kinds.ts` has the functions. */
const JOB_KINDS = {
  voice: {
    graphql: {
      name: 'VoiceJob',
      description: 'Job that synthesises speech.',
      origin: 'A voice endpoint made it: `submitVoiceJob`.',
    },
    queued: queued({
      scope: VOICE_SCOPE,
      slugAs: 'endpointSlug',
      targets: ({ endpoints }) => endpoints,
      poolOf,
      routeOf: endpointRoute,
      limitsOf: endpointLimits,
    }),
  },
  companion_chat: {
    graphql: {
      name: 'CompanionChatJob',
      description: 'Job of one message to the companion.',
      origin: 'A message to the companion made it: `chatWithCompanion`.',
    },
  },
  companion_retarget: {
    graphql: {
      name: 'CompanionRetargetJob',
      description: 'Job that gave a companion another persona.',
      origin: 'A change of persona made it: `retargetCompanion`.',
    },
  },
  companion_media_tag: {
    graphql: {
      name: 'CompanionMediaTagJob',
      description: 'Job that tagged a medium.',
      origin: 'The tagging of a medium made it: `tagMedia`.',
    },
  },
  generate: {
    graphql: {
      name: 'GenerationJob',
      description: 'Job that runs a workflow.',
      origin: 'A workflow made it: `submitGeneration`.',
    },
    queued: queued({
      scope: GENERATION_SCOPE,
      slugAs: 'workflowSlug',
      shared: GENERATIONS,
      targets: ({ workflows }) => workflows,
      poolOf: () => GENERATIONS.pool,
      routeOf: workflowRoute,
      limitsOf: ({ engine }) => [{ server: serverAddress(engine.base_url), limit: engine.max_in_flight }],
    }),
  },
} as const satisfies Record<string, Kind>

export type JobType = keyof typeof JOB_KINDS
export type QueuedType = {
  [Type in JobType]: (typeof JOB_KINDS)[Type] extends { readonly queued: unknown } ? Type : never
}[JobType]

export const JOB_TYPES = Object.keys(JOB_KINDS) as readonly JobType[]

export const byType = <Value>(pick: (kind: Kind) => Value): Readonly<Record<JobType, Value>> =>
  Object.fromEntries(Object.entries(JOB_KINDS).map(([type, kind]) => [type, pick(kind)])) as Record<JobType, Value>

export const queuedKindOf = (type: string): QueuedKind<unknown> | undefined =>
  (JOB_KINDS as Readonly<Record<string, Kind>>)[type]?.queued

export const isQueued = (type: JobType): type is QueuedType => queuedKindOf(type) !== undefined

export const QUEUED_KINDS: readonly QueuedKind<unknown>[] = JOB_TYPES.flatMap((type) => queuedKindOf(type) ?? [])

export const SHARED_POOLS = JOB_TYPES.flatMap((type) => {
  const shared = queuedKindOf(type)?.shared
  return shared === undefined ? [] : [{ type, ...shared }]
})
export const SHARED_QUEUES: readonly string[] = SHARED_POOLS.map(({ queue }) => queue)
export const RESERVED_POOLS: readonly string[] = [...SHARED_POOLS.map(({ pool }) => pool), COMPANION, UNKNOWN]

/** The queues of a worker with these pools. */
export const jobKinds = (pools: readonly string[]): JobKind[] => [
  ...SHARED_QUEUES.map((queue) => ({ queue })),
  ...pools.map(voiceKind),
]

/** Jobs of an engine with several servers wait for all of them under one name. */
export function endpointRoute({ engine }: Pick<VoiceEndpoint, 'engine'>): QueueRoute {
  const servers = endpointLimits({ engine }).map(({ server }) => server)
  return { kind: voiceKind(poolOf({ engine })), server: servers.sort().join(SEPARATOR) || engine.kind }
}

/** The servers of a route that has a limit. */
export const serversOfRoute = (server: string): string[] => server.split(SEPARATOR)

export function workflowRoute({ engine }: Pick<Workflow, 'engine'>): QueueRoute {
  return { kind: GENERATION_KIND, server: serverAddress(engine.base_url) }
}

export function endpointLimits({ engine }: Pick<VoiceEndpoint, 'engine'>): ServerLimit[] {
  const isEmbedded = EMBEDDED_KINDS.has(engine.kind)
  return serversOf(engine).flatMap(({ base_url: address, max_in_flight: given }) => {
    const isLimit = typeof given === 'number' && Number.isInteger(given) && given > 0
    const server = typeof address === 'string' ? serverAddress(address) : engine.kind
    return isLimit || !isEmbedded ? [{ server, limit: isLimit ? given : DEFAULT_IN_FLIGHT }] : []
  })
}

/** Null if the target is gone. */
export function routeOfJob(catalog: Catalog, endpointKey: string): QueueRoute | null {
  const { kind, target } = targetOf(catalog, endpointKey)
  return target === undefined ? null : (kind?.routeOf(target) ?? null)
}

export function poolOfJob(catalog: Catalog, endpointKey: string): string {
  const { kind, target } = targetOf(catalog, endpointKey)
  if (kind === undefined) return COMPANION
  return kind.shared?.pool ?? (target === undefined ? UNKNOWN : kind.poolOf(target))
}

/** Bounds the labels of metrics: unknown keys share one. */
export function knownKey(catalog: Catalog, endpointKey: string): string {
  const { kind, target } = targetOf(catalog, endpointKey)
  return kind !== undefined && target === undefined ? UNKNOWN : endpointKey
}

function targetOf({ current }: Catalog, key: string): { kind: QueuedKind<unknown> | undefined; target: unknown } {
  const dot = key.indexOf('.')
  const kind = queuedKindOf(key.slice(0, dot))
  return { kind, target: kind?.targets(current).get(key.slice(dot + 1)) }
}
