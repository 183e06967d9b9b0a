/** A link to hand over. */
export interface NewLink {
  readonly url: string
  readonly expiresAt: string
}

export const linkOf = ({ url, expiresAt }: { readonly url: unknown; readonly expiresAt: unknown }): NewLink => ({
  url: String(url),
  expiresAt: String(expiresAt),
})
