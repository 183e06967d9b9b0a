import { describeReadings } from './readings.ts'

describeReadings('Italian', {
  cardinal: `
    Ha 21 cugine, 1 fratello e 1 amica. | Ha ventuno cugine, un fratello e un’amica.
    C'erano 200 case e 1 uomo. | C'erano duecento case e un uomo.
    Aspetta 1 ora e 1 secondo. | Aspetta un’ora e un secondo.
    La città ha 1.250.300 abitanti. | La città ha un milione duecento cinquantamila trecento abitanti.
    Servono 2.345 voti e 1 studente. | Servono duemila trecento quarantacinque voti e uno studente.
  `,
  ordinal: `
    Abita al 4° piso, 2ª porta. | Abita al quarto piso, seconda porta.
    È la 25ª edizione del festival. | È la venticinquesima edizione del festival.
    È arrivato 11º in classifica. | È arrivato undicesimo in classifica.
  `,
  decimal: `
    L'indice è salito di 0,75 punti. | L'indice è salito di zero virgola settantacinque punti.
    Usa la versione 4.2 del programma. | Usa la versione quattro punto due del programma.
  `,
  fraction: `
    Metti 1/2 tazza di olio e 3/4 di litro di brodo. | Metti mezza tazza di olio e tre quarti di litro di brodo.
    Hanno votato i 2/3 dei soci. | Hanno votato i due terzi dei soci.
    Restano 1/15 e 7/8 del totale. | Restano un quindicesimo e sette ottavi del totale.
    Passano 3/4 d'ora. | Passano tre quarti d'ora.
  `,
  money: `
    Il biglietto costa 15,50 €. | Il biglietto costa quindici euro cinquanta centesimi.
    Deve 1 £ e paga 21 £. | Deve una sterlina e paga ventuno sterline.
    Il progetto costa 2,4 miliardi di euro. | Il progetto costa due virgola quattro miliardi di euro.
    Vale $ 3,25 a Miami. | Vale tre dollari venticinque centesimi a Miami.
  `,
  measure: `
    Corre a 12 km/h. | Corre a dodici chilometri per ora.
    È alto 1,75 m e pesa 71 kg. | È alto uno virgola settantacinque metri e pesa settantuno chilogrammi.
    La sala è di 24 m². | La sala è di ventiquattro metri quadrati.
    Il latte è a 4 °C. | Il latte è a quattro gradi Celsius.
    Usa 6 l e 250 ml. | Usa sei litri e duecento cinquanta millilitri.
    L'8% degli elettori; lo 0,5% in meno. | L'otto percento degli elettori; lo zero virgola cinque percento in meno.
    Il campo misura 3 ha. | Il campo misura tre ettari.
    Oggi ci sono 28° all'ombra. | Oggi ci sono ventotto gradi all'ombra.
    Potenza max: 200 W e 0,5 kWh/giorno | Potenza massima: duecento watt e zero virgola cinque chilowattora per giorno
    È al km 21. | È al chilometro ventuno.
  `,
  date: `
    È nata il 3 aprile 1999. | È nata il tre aprile mille novecento novantanove.
    La visita è il 7/11/2025. | La visita è il sette novembre duemila venticinque.
    Si videro il 2/12 alle 8:20. | Si videro il due dicembre alle otto e venti.
    Pubblicato il 2023-10-05. | Pubblicato il cinque ottobre duemila ventitré.
    Il 1 gennaio è festa. | Il primo gennaio è festa.
    L'8 marzo e il 1° maggio. | L'otto marzo e il primo maggio.
    Riunione: lunedì 3/2, 10:00-11:30 | Riunione: lunedì tre febbraio, dieci a undici e trenta
    La Grande Guerra (1915-18). | La Grande Guerra (mille novecento quindici a diciotto).
    Gli anni '60 e il '900. | Gli anni sessanta e il novecento.
  `,
  time: `
    Cena alle 21:15. | Cena alle ventuno e quindici.
    Apre dalle 9.00 alle 13.30. | Apre dalle nove alle tredici e trenta.
    Il treno parte alle 6:05. | Il treno parte alle sei e cinque.
    Cuocere 1 h 15 min a fuoco lento. | Cuocere un’ora e quindici minuti a fuoco lento.
    All'1:30 e alle 12:30. | All'una e trenta e alle dodici e trenta.
  `,
  telephone: `
    Chiama il 347 1234567. | Chiama il tre quattro sette, uno due tre quattro cinque sei sette.
    Il numero è +39 02 1234 5678. | Il numero è più tre nove, zero due, uno due tre quattro, cinque sei sette otto.
    Tel. 02 1234567 | telefono zero due, uno due tre quattro cinque sei sette
    P. IVA 12345678901 | P. IVA uno due tre quattro cinque sei sette otto nove zero uno
  `,
  range: `
    Leggi le pagine 12-18. | Leggi le pagine dodici a diciotto.
    La guerra del 1915-1918. | La guerra del mille novecento quindici a mille novecento diciotto.
    Ha preso 9,5/10. | Ha preso nove virgola cinque su dieci.
  `,
  roman: `
    Il XV secolo e il secolo V. | Il quindicesimo secolo e il secolo quinto.
    Tra il XVII e il XVIII secolo. | Tra il diciassettesimo e il diciottesimo secolo.
    Carlo V e Vittorio Emanuele III. | Carlo quinto e Vittorio Emanuele terzo.
    La regina Elisabetta II. | La regina Elisabetta seconda.
    Il capitolo IX del volume II. | Il capitolo nono del volume secondo.
    Il III Congresso e la V Fiera. | Il terzo Congresso e la quinta Fiera.
    Luigi XVI fu l'ultimo. | Luigi sedicesimo fu l'ultimo.
    Nel XIX e XX secolo. | Nel diciannovesimo e ventesimo secolo.
    Alla fine del sec. XIX, cap. XII. | Alla fine del secolo diciannovesimo, capitolo dodici.
  `,
  score: `
    La Roma ha vinto 4-2 contro la Lazio. | La Roma ha vinto quattro a due contro la Lazio.
    Sinner ha vinto 6-4, 3-6 e 7-5. | Sinner ha vinto sei a quattro, tre a sei e sette a cinque.
  `,
  electronic: `
    Scrivi a luca@gmail.com. | Scrivi a l u c a chiocciola gmail punto com.
    Visita www.governo.it/aiuto. | Visita w w w punto g o v e r n o punto it slash a i u t o.
    Segui @mar_7 e #GiornataDelLibro | Segui chiocciola m a r trattino basso sette e cancelletto Giornata Del Libro
  `,
  serial: `
    Un volo con l'A380. | Un volo con l'A trecento ottanta.
    La legge 12/2009 | La legge dodici del duemila nove
  `,
  math: `
    5 + 3 = 8 | cinque più tre uguale a otto
    x³ ≤ 10 | x al cubo minore o uguale a dieci
    La CO₂ dell'aria. | La C O due dell'aria.
  `,
  abbreviation: `
    Il Sig. Ricci e la Dott.ssa Gallo. | Il signor Ricci e la dottoressa Gallo.
    Abitano in V.le Roma, n. 5. | Abitano in viale Roma, numero cinque.
    Ha preso pane, frutta, ecc. | Ha preso pane, frutta, eccetera.
    Morì nel 31 a.C. | Morì nel trentuno avanti Cristo.
    S. Pietro è a pag. 8. | San Pietro è a pagina otto.
  `,
  acronym: `
    L'IVA e l'ONU, il PD e il PIL. | L'IVA e l'ONU, il P D e il PIL.
  `,
  symbol: `
    Ricci & Figli © 2020 | Ricci e Figli copyright duemila venti
    100 ± 5 | cento più o meno cinque
  `,
})
