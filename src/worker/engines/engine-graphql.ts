import { VoiceEndpointRef } from '../../catalog/endpoint-graphql.ts'
import { BatchLoader } from '../../concurrency/batch-loader.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { resolvedBy, rowsOf } from '../../graphql/resolved-by.ts'
import { describedEnum } from '../../graphql/scalars.ts'
import { type EngineFailure, FAILURES } from './engine-failure.ts'
import {
  type EngineServerStatus,
  type EngineState,
  type EngineStatus,
  engineMinutes,
  engines,
  MINUTE_VIEW,
  realTimeFactorOf,
} from './engine-states.ts'

const EngineStateRef = describedEnum('EngineState', 'State of an engine, or of one of its servers.', {
  ready: 'The engine speaks.',
  degraded: 'The engine speaks, but lacks voices, or one of its servers or workers cannot use it.',
  cold: 'The model is there, and is loaded for the next text.',
  loading: 'The model is being loaded, or the server of the worker is starting.',
  failing: 'The engine answers, but does not speak.',
  unreachable: 'No worker reaches the server.',
  unknown: 'No worker has found out yet, or none lives.',
} satisfies Record<EngineState, string>)

const meanings = Object.fromEntries(Object.entries(FAILURES).map(([kind, { meaning }]) => [kind, meaning]))
const EngineFailureRef = describedEnum(
  'EngineFailure',
  'Kind of failure of an engine.',
  meanings as Record<EngineFailure, string>,
)

const EngineMinuteRef = builder.prismaObject('EngineMinute', {
  description: 'Sums of one minute in which an engine was used, by jobs or by the sentence that workers try it with.',
  select: MINUTE_VIEW,
  fields: (t) => ({
    startedAt: t.expose('minute', { type: 'DateTime', description: 'Time when the minute began.' }),
    spoken: t.exposeInt('spoken', { description: 'Number of requests that the engine spoke.' }),
    failed: t.exposeInt('failed', { description: "Number of requests that failed for the engine's fault." }),
    meanMs: t.int({
      nullable: true,
      description: 'Milliseconds that a request took on average; null if none was spoken.',
      resolve: ({ spoken, tookMs }) => (spoken === 0 ? null : Math.round(Number(tookMs) / spoken)),
    }),
    realTimeFactor: t.float({
      nullable: true,
      description: 'Seconds of work for each second of speech; null if none was spoken.',
      resolve: realTimeFactorOf,
    }),
  }),
})

type Minute = Awaited<ReturnType<typeof engineMinutes>>[number]
const keyOf = ({ endpointSlug, server }: Pick<Minute, 'endpointSlug' | 'server'>): string => `${endpointSlug} ${server}`
const minutes = new BatchLoader<GraphqlContext, Minute[]>(async (ctx, keys) => {
  const slugs = new Set(keys.map((key) => key.slice(0, key.indexOf(' '))))
  return Map.groupBy(await engineMinutes(ctx, [...slugs]), keyOf)
})

const EngineServerRef = builder.objectRef<EngineServerStatus>('EngineServer').implement({
  description: 'Engine at one of its servers, as the workers found it.',
  fields: (t) => ({
    address: t.exposeString('address', {
      nullable: true,
      description:
        'Address of the server, without user, password and query; `worker` for a server that a worker owns; null for an engine inside the workers.',
    }),
    host: t.exposeString('host', {
      nullable: true,
      description: 'Name of the machine whose worker owns the server; null if no worker does.',
    }),
    state: t.field({
      type: EngineStateRef,
      description: 'State of the engine at this server.',
      resolve: ({ state }) => state,
    }),
    slots: t.exposeInt('slots', {
      description: 'Largest number of texts that the engine speaks at once here, for all workers together.',
    }),
    slotsInUse: t.exposeInt('slotsInUse', { description: 'Number of texts that the engine speaks now.' }),
  }),
})

builder.objectFields(EngineServerRef, (t) => ({
  voicesOffered: t.exposeInt('voicesOffered', {
    nullable: true,
    description: 'Number of voices that the engine lists; null if it lists none, or was not asked yet.',
  }),
  voicesMissing: t.stringList({
    description: 'Engine voices of the endpoint that the engine does not list.',
    resolve: ({ voicesMissing }) => [...voicesMissing],
  }),
  spokeAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'Time when the engine last spoke; null if it never did.',
    resolve: ({ spokeAt }) => spokeAt,
  }),
  speechMs: t.exposeInt('tookMs', {
    nullable: true,
    description: 'Milliseconds that the engine took for its last speech; null without any.',
  }),
  audioMs: t.exposeInt('audioMs', {
    nullable: true,
    description: 'Length of its last speech in milliseconds; null without any.',
  }),
  realTimeFactor: t.float({
    nullable: true,
    description: 'Seconds of work for each second of its last speech; null without any.',
    resolve: realTimeFactorOf,
  }),
}))

builder.objectFields(EngineServerRef, (t) => ({
  failure: t.field({
    type: EngineFailureRef,
    nullable: true,
    description: 'Kind of the failure; null while nothing fails.',
    resolve: ({ failure }) => failure,
  }),
  error: t.exposeString('error', {
    nullable: true,
    description: 'Reason of the failure, in one sentence; null while nothing fails.',
  }),
  failingSince: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'Time when the failure was first noted; null while nothing fails, and if that is not known.',
    resolve: ({ failure, failingSince }) => (failure === null ? null : failingSince),
  }),
  advice: t.string({
    nullable: true,
    description: 'Advice on the failure, in one sentence; null while nothing fails.',
    resolve: ({ failure }) => failure && FAILURES[failure].advice,
  }),
  history: t.prismaField({
    description: 'Minutes of the last hour in which the engine was used here, oldest first: at most 61.',
    ...rowsOf(
      [EngineMinuteRef],
      async (server: EngineServerStatus, ctx) => (await minutes.load(ctx, keyOf(server))) ?? [],
    ),
  }),
}))

const EngineRef = builder.objectRef<EngineStatus>('Engine').implement({
  description: 'Engine of a voice endpoint.',
  fields: (t) => ({
    endpoint: t.field({
      type: VoiceEndpointRef,
      description: 'Voice endpoint that the engine speaks for.',
      resolve: ({ endpoint }) => endpoint,
    }),
    kind: t.string({
      description: 'Kind of the engine, as the engine block names it.',
      resolve: ({ endpoint }) => endpoint.engine.kind,
    }),
    pool: t.exposeString('pool', { description: 'Name of the pool whose workers use the engine, as `pools` has it.' }),
    state: t.field({
      type: EngineStateRef,
      description: 'State of the engine over all of its servers.',
      resolve: ({ state }) => state,
    }),
    servers: t.field({
      type: [EngineServerRef],
      description:
        'Servers of the engine, or a single entry for one inside the workers: at most 32, or one for each worker that owns one.',
      resolve: ({ servers }) => [...servers],
    }),
  }),
})

builder.queryField('engines', (t) =>
  t.field({
    type: [EngineRef],
    description:
      'Engines of the voice endpoints in the order of their slugs, as the workers find them. Jobs show it; one that none has used for minutes speaks a short sentence. Needs the scope operator, or a signed-in operator.',
    ...resolvedBy(engines, () => undefined),
  }),
)
