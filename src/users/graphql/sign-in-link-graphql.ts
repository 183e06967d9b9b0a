import { invalidRequest } from '../../errors/service-error.ts'
import { builder, type GraphqlContext } from '../../graphql/builder.ts'
import { resolvedBy } from '../../graphql/resolved-by.ts'
import { completePerson } from '../complete-person.ts'
import { createSignInLink, type NewSignInLink } from '../links/create-sign-in-link.ts'
import { redeemSignInLink } from '../links/redeem-sign-in-link.ts'
import { type SignInLink, signInLink } from '../links/sign-in-link.ts'
import { UserRef } from './user-graphql.ts'

export const NewSignInLinkRef = builder.objectRef<NewSignInLink>('NewSignInLink').implement({
  description: 'A new link that signs a user in, once.',
  fields: (t) => ({
    url: t.expose('url', { type: 'URL', description: 'The address to hand to the user. It cannot be read again.' }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'When it stops working.' }),
  }),
})

const SignInLinkRef = builder.objectRef<SignInLink>('SignInLink').implement({
  description: 'A sign-in link that has not been used yet.',
  fields: (t) => ({
    email: t.exposeString('email', { description: 'The user that it signs in.' }),
    account: t.exposeString('account', { description: "The name of the user's account." }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', description: 'Until when it can be used.' }),
  }),
})

const TOKEN = 'What follows `#` in the address of the link.'

builder.queryField('signInLink', (t) =>
  t.field({
    type: SignInLinkRef,
    nullable: true,
    description:
      'The user that a sign-in link signs in, without using it up; null where it was used or has expired. By POST only.',
    args: { token: t.arg.string({ required: true, description: TOKEN }) },
    resolve: (_root, { token }, ctx) => {
      rejectInAddress(ctx)
      return signInLink(ctx, { token, address: ctx.address })
    },
    extensions: { verb: signInLink },
  }),
)

/** What signs in must not lie in logs and histories. @throws INVALID_REQUEST */
function rejectInAddress({ isInAddress }: GraphqlContext): void {
  if (isInAddress) throw invalidRequest('Send this query by POST: addresses are kept, and this token signs in.')
}

builder.mutationFields((t) => ({
  createSignInLink: t.field({
    type: NewSignInLinkRef,
    errors: {},
    description:
      "Makes a link that signs a user of the account in, once and within 15 minutes. Needs the scope account:admin, or a signed-in owner; of another account's user the scope operator.",
    args: { user: t.arg.id({ required: true, description: 'User id or e-mail address.' }) },
    ...resolvedBy(createSignInLink, (args: { user: string }) => args),
  }),
  redeemSignInLink: t.field({
    type: UserRef,
    errors: {},
    description:
      'Starts a session by a sign-in link and uses it up. The session is kept as signIn keeps it. Over HTTP only.',
    args: { token: t.arg.string({ required: true, description: TOKEN }) },
    resolve: async (_root, { token }, ctx) => {
      if (ctx.cookie === null) throw invalidRequest('Sign in over HTTP: a cookie cannot be set here.')
      ctx.cookie.rejectForeign()
      const opened = await redeemSignInLink(ctx, { token, address: ctx.address })
      ctx.cookie.set(opened.token, opened.keptUntil)
      return opened.user
    },
    extensions: { verb: redeemSignInLink },
  }),
  completePerson: t.field({
    type: UserRef,
    errors: {},
    description:
      'Gives the signed-in user, who came by a link and has no password yet, an address and a password of their own. Their other sessions and links end.',
    args: {
      email: t.arg.string({ required: true, description: 'The address to sign in with from now on.' }),
      password: t.arg.string({ required: true, description: '12 to 256 characters.' }),
    },
    ...resolvedBy(completePerson, (args: { email: string; password: string }) => args),
  }),
}))
