import type { Voice, VoiceEndpoint } from '../../context/catalog-snapshot.ts'
import type { PageInput } from '../../db/page.ts'
import { builder } from '../../graphql/builder.ts'
import { connectionOf } from '../../graphql/connection.ts'
import { forOperator, OPERATORS_PART } from '../../graphql/for-operator.ts'
import { resolvedBy } from '../../graphql/resolved-by.ts'
import { endpoints } from '../endpoints.ts'
import { shownEngine } from '../files/hidden-password.ts'
import { poolOf } from '../voice-endpoint.ts'
import { VoiceEndpointRef, VoiceRef } from './endpoint-graphql.ts'

const EndpointSettingsRef = builder.objectRef<VoiceEndpoint>('EndpointSettings').implement({
  description: 'Settings of an endpoint that only operators see.',
  fields: (t) => ({
    published: t.exposeBoolean('published', { description: 'Whether callers can use it.' }),
    requiredScope: t.exposeString('requiredScope', {
      nullable: true,
      description: 'The extra scope that restricts it: to every other key it looks missing.',
    }),
    engine: t.field({
      type: 'JSON',
      description: 'The engine block of its endpoint file, without a password.',
      resolve: ({ engine }) => shownEngine(engine),
    }),
    pool: t.string({ description: 'Its jobs wait in the queue of this pool.', resolve: poolOf }),
    timeLimitSeconds: t.exposeInt('timeLimitSeconds', { description: 'How long a job may take.' }),
    creditsPerCharacter: t.exposeInt('creditsPerCharacter', { description: 'Credits per character of text.' }),
  }),
})

const VoiceSettingsRef = builder.objectRef<Voice>('VoiceSettings').implement({
  description: 'Settings of a voice that only operators see.',
  fields: (t) => ({
    engineVoice: t.exposeString('engineVoice', { nullable: true, description: "The engine's own name of it." }),
    referenceText: t.exposeString('referenceText', {
      nullable: true,
      description: 'The text that its recording speaks.',
    }),
  }),
})

builder.objectField(VoiceEndpointRef, 'settings', (t) =>
  t.field({ type: EndpointSettingsRef, nullable: true, description: OPERATORS_PART, resolve: forOperator }),
)

builder.objectField(VoiceRef, 'settings', (t) =>
  t.field({ type: VoiceSettingsRef, nullable: true, description: OPERATORS_PART, resolve: forOperator }),
)

builder.queryField('endpoints', (t) =>
  t.connection(
    {
      type: VoiceEndpointRef,
      description:
        'All voice endpoints by slug, unpublished and restricted ones included. Needs the scope operator, or a signed-in operator.',
      ...resolvedBy(endpoints, (args: PageInput) => args),
    },
    ...connectionOf('VoiceEndpoint', 'voice endpoints'),
  ),
)
