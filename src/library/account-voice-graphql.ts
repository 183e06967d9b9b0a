import { requireAccount, requireScope } from '../access/require.ts'
import { LIBRARY_SCOPE } from '../access/scopes.ts'
import { builder } from '../graphql/builder.ts'
import { addNodeSource, NodeInterface } from '../graphql/node.ts'
import { queriedBy, queryOf, resolvedBy } from '../graphql/resolved-by.ts'
import { type AccountVoice, accountVoices, findVoice, storageKeyOf, VOICE_VIEW } from './account-voices.ts'
import { deleteVoice, renameVoice } from './change-voices.ts'

const NEEDS = 'Needs the scope voice:library, or a signed-in user.'

const AccountVoiceRef = builder.prismaObject('AccountVoice', {
  description: "A voice of the account's own. It is uploaded by `POST /api/v1/voices`.",
  interfaces: [NodeInterface],
  select: VOICE_VIEW,
  fields: (t) => ({
    id: t.exposeID('id', { description: 'The value to send in the voice input of endpoints that take such voices.' }),
    name: t.exposeString('name', { description: 'Its name: no other voice of the account has it.' }),
    durationMs: t.exposeInt('durationMs', { description: 'How long its recording is, in milliseconds.' }),
    transcript: t.exposeString('transcript', { nullable: true, description: 'What its recording says.' }),
    language: t.exposeString('language', { nullable: true, description: 'The language of its recording.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was uploaded.' }),
    sampleUrl: t.field({
      type: 'URL',
      description: 'A signed URL of its recording, a WAV file; signed at this read, valid for 15 minutes.',
      resolve: ({ id }, _args, ctx) =>
        ctx.storage.signUrl(storageKeyOf(id), { contentType: 'audio/wav', now: ctx.now() }),
    }),
  }),
})

addNodeSource<AccountVoice>('voice_', {
  typeOf: () => 'AccountVoice',
  load: (ctx, id, info) => {
    requireScope(ctx, LIBRARY_SCOPE)
    return findVoice(ctx.db, requireAccount(ctx).accountId, id, queryOf(ctx, info, 'AccountVoice'))
  },
})

const DeletionRef = builder.objectRef<{ readonly voiceId: string }>('DeleteVoiceSuccess').implement({
  description: 'A voice that is gone.',
  fields: (t) => ({ voiceId: t.exposeID('voiceId', { description: 'What its id was.' }) }),
})

builder.queryField('accountVoices', (t) =>
  t.prismaField({
    description: `The voices of the account's library, oldest first; at most 100. ${NEEDS}`,
    ...queriedBy([AccountVoiceRef], accountVoices, () => ({})),
  }),
)

builder.mutationFields((t) => ({
  renameVoice: t.prismaField({
    errors: {},
    description: `Gives a voice of the library another name. ${NEEDS}`,
    args: {
      id: t.arg.id({ required: true, description: 'The id of a voice of the library.' }),
      name: t.arg.string({ required: true, description: 'A name that no other voice of the account has.' }),
    },
    ...queriedBy(AccountVoiceRef, renameVoice, ({ id, name }: { id: string; name: string }) => ({ voiceId: id, name })),
  }),
  deleteVoice: t.field({
    type: DeletionRef,
    errors: {},
    description: `Deletes a voice of the library with its recording. ${NEEDS}`,
    args: { id: t.arg.id({ required: true, description: 'The id of a voice of the library.' }) },
    ...resolvedBy(deleteVoice, ({ id }: { id: string }) => ({ voiceId: id })),
  }),
}))
