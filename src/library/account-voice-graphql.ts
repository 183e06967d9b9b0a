import { holdsIn, requireAccount, requireScope } from '../access/require.ts'
import { LIBRARY_SCOPE } from '../access/scopes.ts'
import { AccountRef, seesAccountOf } from '../accounts/account-graphql.ts'
import { builder, result } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { queriedBy, queryOf, resolvedBy, USE_ID } from '../graphql/resolved-by.ts'
import { type AccountVoice, accountVoices, findVoices, MAX_VOICES, storageKeyOf, VOICE_VIEW } from './account-voices.ts'
import { deleteVoice, renameVoice } from './change-voices.ts'

const NEEDS = 'Needs the scope voice:library, or a signed-in user.'

const AccountVoiceRef = builder.prismaObject('AccountVoice', {
  description: "Voice of the account's library, made of a recording that was uploaded by `POST /api/v1/voices`.",
  interfaces: [NodeInterface],
  select: VOICE_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'Id of the voice: the value to send in the voice input of endpoints that take such voices.',
    }),
    name: t.exposeString('name', { description: 'Name of the voice; no other voice of the account has it.' }),
    durationMs: t.exposeInt('durationMs', { description: 'Length of the recording in milliseconds.' }),
    transcript: t.exposeString('transcript', {
      nullable: true,
      description: 'Text that the recording says; null if it is not known.',
    }),
    language: t.exposeString('language', {
      nullable: true,
      description: 'Language of the recording; null if it is not known.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time when the voice was uploaded.' }),
    sampleUrl: t.field({
      type: 'URL',
      description: 'Signed URL of the recording, a WAV file; signed by this query, valid for 15 minutes.',
      resolve: ({ id }, _args, ctx) =>
        ctx.storage.signUrl(storageKeyOf(id), { contentType: 'audio/wav', now: ctx.now() }),
    }),
    account: t.relation('account', {
      type: AccountRef,
      nullable: true,
      description: 'Account whose library holds the voice. Null if the caller may not read it.',
      seenBy: seesAccountOf,
    }),
  }),
})

builder.prismaObjectField(AccountRef, 'voiceCount', (t) =>
  t.relationCount('voices', {
    description: 'Number of voices of the library that the caller may list.',
    where: (_args, { actor }) => {
      const accountId =
        'accountId' in actor && holdsIn({ actor }, actor.accountId, LIBRARY_SCOPE) ? actor.accountId : ''
      return { accountId, readyAt: { not: null } }
    },
  }),
)

builder.prismaObjectField(AccountRef, 'voices', (t) =>
  t.relation('voices', {
    type: AccountVoiceRef,
    nullable: true,
    description: 'Voices of the library, oldest first; at most 100. Null if the caller may not list them.',
    query: { where: { readyAt: { not: null } }, orderBy: { id: 'asc' } },
    seenBy: (ctx, { id }) => holdsIn(ctx, id, LIBRARY_SCOPE),
    extensions: { length: MAX_VOICES },
  }),
)

addNodeSource<AccountVoice>('voice_', {
  typeOf: () => 'AccountVoice',
  idOf: ({ id }) => id,
  load: (ctx, ids, info) => {
    requireScope(ctx, LIBRARY_SCOPE)
    return findVoices(ctx.db, requireAccount(ctx).accountId, ids, queryOf(ctx, info, 'AccountVoice'))
  },
})

const DeletionRef = builder.objectRef<{ readonly voiceId: string }>('DeleteVoiceSuccess').implement({
  description: 'Voice that was deleted.',
  fields: (t) => ({
    id: t.exposeID('voiceId', { description: 'Id of the deleted voice.' }),
    voiceId: t.exposeID('voiceId', { description: 'Id of the deleted voice.', deprecationReason: USE_ID }),
  }),
})

builder.queryField('accountVoices', (t) =>
  t.prismaField({
    description: `Voices of the account's library, oldest first; at most 100. ${NEEDS}`,
    ...queriedBy([AccountVoiceRef], accountVoices, () => ({})),
  }),
)

builder.mutationFields((t) => ({
  renameVoice: t.prismaField({
    errors: result('Renamed voice', 'its name stays as it is'),
    description: `Gives a voice of the library another name. ${NEEDS}`,
    args: {
      id: t.arg.id({ required: true, description: 'Id of a voice of the library.' }),
      name: t.arg.string({ required: true, description: 'Name that no other voice of the account has.' }),
    },
    ...queriedBy(AccountVoiceRef, renameVoice, ({ id, name }: { id: string; name: string }) => ({ voiceId: id, name })),
  }),
  deleteVoice: t.field({
    type: DeletionRef,
    errors: result('Deleted voice', 'nothing was deleted'),
    description: `Deletes a voice of the library with its recording. ${NEEDS}`,
    args: { id: t.arg.id({ required: true, description: 'Id of a voice of the library.' }) },
    ...resolvedBy(deleteVoice, ({ id }: { id: string }) => ({ voiceId: id })),
  }),
}))
