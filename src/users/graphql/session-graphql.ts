import { invalidRequest } from '../../errors/service-error.ts'
import { builder } from '../../graphql/builder.ts'
import { rowsOf } from '../../graphql/resolved-by.ts'
import { changePassword } from '../change-password.ts'
import { type EndedSession, endSession } from '../end-session.ts'
import { type Reauthentication, reauthenticate } from '../reauthenticate.ts'
import { signIn } from '../sign-in.ts'
import { signOut } from '../sign-out.ts'
import { UserRef } from './user-graphql.ts'

const endingSessions = (name: string, description: string, sessions: string) =>
  builder.objectRef<{ readonly sessions: number }>(name).implement({
    description,
    fields: (t) => ({ sessions: t.exposeInt('sessions', { description: sessions }) }),
  })

const PasswordChangeRef = endingSessions(
  'ChangePasswordSuccess',
  'The result of a change of password.',
  'How many other sessions of the user it ended.',
)
const SignOutRef = endingSessions(
  'SignOutSuccess',
  'The result of signing out.',
  'How many sessions it ended, this one included.',
)

builder.mutationField('signIn', (t) =>
  t.prismaField({
    errors: {},
    description: 'Starts a session, kept in a cookie that scripts cannot read. Over HTTP only.',
    args: {
      email: t.arg.string({ required: true, description: 'The address.' }),
      password: t.arg.string({ required: true, description: 'The password.' }),
    },
    ...rowsOf(UserRef, async (_root: object, ctx, args: { email: string; password: string }) => {
      if (ctx.cookie === null) throw invalidRequest('Sign in over HTTP: a cookie cannot be set here.')
      ctx.cookie.rejectForeign()
      const { user, token, keptUntil } = await signIn(ctx, { ...args, address: ctx.address })
      ctx.cookie.set(token, keptUntil)
      return user
    }),
    extensions: { verb: signIn },
  }),
)

builder.mutationField('signOut', (t) =>
  t.field({
    type: SignOutRef,
    errors: {},
    description: 'Ends the session, or every session of the user. Their open connections close within a second.',
    args: { everywhere: t.arg.boolean({ description: 'All browsers instead of this one.' }) },
    resolve: async (_root, args, ctx) => {
      const done = await signOut(ctx, { everywhere: args.everywhere === true })
      ctx.cookie?.clear()
      return done
    },
    extensions: { verb: signOut },
  }),
)

const EndedSessionRef = builder.objectRef<EndedSession>('EndSessionSuccess').implement({
  description: 'A session that has ended.',
  fields: (t) => ({ id: t.exposeID('id', { description: 'The id of the session.' }) }),
})

builder.mutationField('endSession', (t) =>
  t.field({
    type: EndedSessionRef,
    errors: {},
    description: 'Ends one session of the signed-in user. Its open connections close within a second.',
    args: { id: t.arg.id({ required: true, description: 'A session id of `me.sessions`.' }) },
    resolve: async (_root, args, ctx) => {
      const ended = await endSession(ctx, args)
      if (ended.current) ctx.cookie?.clear()
      return ended
    },
    extensions: { verb: endSession },
  }),
)

const ReauthenticationRef = builder.objectRef<Reauthentication>('Reauthentication').implement({
  description: 'For how long a signed-in operator may change things.',
  fields: (t) => ({ until: t.expose('until', { type: 'DateTime', description: '15 minutes from now.' }) }),
})

builder.mutationField('reauthenticate', (t) =>
  t.field({
    type: ReauthenticationRef,
    errors: {},
    description: 'Gives the password again in this session: what an operator changes asks for it after 15 minutes.',
    args: { password: t.arg.string({ required: true, description: 'The password of the signed-in user.' }) },
    resolve: (_root, { password }, ctx) => reauthenticate(ctx, { password, address: ctx.address }),
    extensions: { verb: reauthenticate },
  }),
)

builder.mutationField('changePassword', (t) =>
  t.field({
    type: PasswordChangeRef,
    errors: {},
    description: 'Changes the password of the signed-in user and ends all other sessions of the user.',
    args: {
      currentPassword: t.arg.string({ required: true, description: 'The current password.' }),
      newPassword: t.arg.string({ required: true, description: '12 to 256 characters.' }),
    },
    resolve: (_root, args, ctx) => changePassword(ctx, { ...args, address: ctx.address }),
    extensions: { verb: changePassword },
  }),
)
