import { builder } from '../graphql/builder.ts'
import { describedEnum } from '../graphql/described-enum.ts'
import type { ActorView } from './actor-view.ts'

const ActorKindEnum = describedEnum<ActorView['kind']>('ActorKind', 'What kind of caller it was.', {
  key: 'An API key.',
  user: 'A user who was signed in.',
  operator: 'The operator, at the command line or from another account.',
})

export const ActorRef = builder.objectRef<ActorView>('Actor').implement({
  description: 'The caller that did something.',
  fields: (t) => ({
    kind: t.field({ type: ActorKindEnum, description: 'What kind of caller.', resolve: ({ kind }) => kind }),
    id: t.id({
      nullable: true,
      description: 'Its own for each thing that was done, as names are those of then. Null for the operator.',
      resolve: ({ of, callerId }) => (callerId === null ? null : `by_${of}`),
    }),
    callerId: t.exposeID('callerId', { nullable: true, description: 'The key id or user id. Null for the operator.' }),
    name: t.exposeString('name', {
      nullable: true,
      description: "A key's name, null once it is deleted, or a user's e-mail address.",
    }),
  }),
})
