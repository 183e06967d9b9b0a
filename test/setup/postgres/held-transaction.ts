/** Begins a transaction on a connection of the service's pool which a test holds for as long as it takes: the service would end it after 15 s. */
export const BEGIN_HELD = 'begin; set local idle_in_transaction_session_timeout = 0'
