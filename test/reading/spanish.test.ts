import { describeReadings } from './readings.ts'

describeReadings('Spanish', {
  cardinal: `
    Tiene 21 primas y 31 primos. | Tiene veintiuna primas y treinta y un primos.
    Había 200 casas y 700 coches. | Había doscientas casas y setecientos coches.
    Compró 1 coche, 1 casa y 101 libros. | Compró un coche, una casa y ciento un libros.
    La población es de 1.250.300 personas. | La población es de un millón doscientos cincuenta mil trescientas personas.
    Vendió 21 mil entradas y 200 mil camisetas. | Vendió veintiuna mil entradas y doscientas mil camisetas.
    Faltan 5.000.000.000.000 de átomos. | Faltan cinco billones de átomos.
    2 de las 200 alumnas | dos de las doscientas alumnas
  `,
  ordinal: `
    Vive en el 4.º piso, 2.ª puerta. | Vive en el cuarto piso, segunda puerta.
    Fue el 1.er alcalde y la 3.ª alcaldesa. | Fue el primer alcalde y la tercera alcaldesa.
    Celebran la 25.ª edición del festival. | Celebran la vigesimoquinta edición del festival.
    Terminó 11.º en la clasificación. | Terminó undécimo en la clasificación.
  `,
  decimal: `
    El índice subió 0,75 puntos. | El índice subió cero coma setenta y cinco puntos.
    La nota media es 7,25. | La nota media es siete coma veinticinco.
    Usa la versión 4.2 del programa. | Usa la versión cuatro punto dos del programa.
  `,
  fraction: `
    Echa 1/2 cucharada de sal y 3/4 de litro de caldo. | Echa media cucharada de sal y tres cuartos de litro de caldo.
    Votaron 2/3 de los socios. | Votaron dos tercios de los socios.
    Quedan 1/15 y 7/8 del total. | Quedan un quinceavo y siete octavos del total.
    Añade ½ limón. | Añade medio limón.
  `,
  money: `
    La entrada cuesta 15,50 €. | La entrada cuesta quince euros cincuenta céntimos.
    Pagó 1 £ y debe 21 £. | Pagó una libra y debe veintiuna libras.
    El rescate costó 2.400 millones de euros. | El rescate costó dos mil cuatrocientos millones de euros.
    Vale $ 3,25 en Miami. | Vale tres dólares veinticinco centavos en Miami.
    Solo 4,99 €/mes. | Solo cuatro euros noventa y nueve céntimos por mes.
  `,
  measure: `
    Corre a 12 km/h. | Corre a doce kilómetros por hora.
    Mide 1,75 m y pesa 71 kg. | Mide uno coma setenta y cinco metros y pesa setenta y un kilogramos.
    El salón tiene 24 m². | El salón tiene veinticuatro metros cuadrados.
    La leche está a 4 °C. | La leche está a cuatro grados centígrados.
    Gasta 6 l y 250 ml. | Gasta seis litros y doscientos cincuenta mililitros.
    El 8 % de los votos; un 0,5% menos. | El ocho por ciento de los votos; un cero coma cinco por ciento menos.
    Añade 100 g de mantequilla. | Añade cien gramos de mantequilla.
    Potencia máx.: 200 W y 0,5 kWh/día | Potencia máxima: doscientos vatios y cero coma cinco kilovatios hora por día
    Está en el km 21. | Está en el kilómetro veintiuno.
  `,
  date: `
    Nació el 3 de abril de 1999. | Nació el tres de abril de mil novecientos noventa y nueve.
    La cita es el 7/11/2025. | La cita es el siete de noviembre de dos mil veinticinco.
    Se vieron el 2/12 a las 8:20. | Se vieron el dos de diciembre a las ocho y veinte.
    Publicado el 2023-10-05. | Publicado el cinco de octubre de dos mil veintitrés.
    El 1 de enero es festivo. | El primero de enero es festivo.
    Reunión: lunes 3/2, de 10:00-11:30 h | Reunión: lunes tres de febrero, de diez a once y media
    La Gran Guerra (1914-18). | La Gran Guerra (mil novecientos catorce a dieciocho).
  `,
  time: `
    Cena a las 21:15. | Cena a las veintiuna y cuarto.
    El tren sale a las 6:30 h. | El tren sale a las seis y media.
    Despierta a las 7 a. m. | Despierta a las siete de la mañana.
    Abre de 9:00 a 14:00. | Abre de nueve a catorce.
    Cocer 1 h 15 min a fuego lento. | Cocer una hora y quince minutos a fuego lento.
    Llega a las 21 y sale a la 1. | Llega a las veintiuna y sale a la una.
  `,
  telephone: `
    Llame al 655 443 322. | Llame al seis cinco cinco, cuatro cuatro tres, tres dos dos.
    Mi número es el +34 93 222 11 00. | Mi número es el más treinta y cuatro, nueve tres, dos dos dos, uno uno, cero cero.
    Tel. 91 555 12 34 | teléfono nueve uno, cinco cinco cinco, uno dos, tres cuatro
    C. P. 28001 Madrid | código postal dos ocho cero cero uno Madrid
  `,
  range: `
    Leed las páginas 12-18. | Leed las páginas doce a dieciocho.
    La guerra de 1808-1814. | La guerra de mil ochocientos ocho a mil ochocientos catorce.
    Hornear 20-25 minutos. | Hornear veinte a veinticinco minutos.
    Sacó 9,5/10. | Sacó nueve coma cinco sobre diez.
  `,
  roman: `
    El siglo XV y el siglo V. | El siglo quince y el siglo quinto.
    Los siglos XVII y XVIII. | Los siglos diecisiete y dieciocho.
    Carlos V y Fernando VII. | Carlos quinto y Fernando séptimo.
    La reina Isabel II. | La reina Isabel segunda.
    El capítulo IX del tomo II. | El capítulo nueve del tomo dos.
    El III Congreso y la V Feria. | El tercer Congreso y la quinta Feria.
    Luis XVI fue el último. | Luis dieciséis fue el último.
    Nació en el s. XIX, cap. XII. | Nació en el siglo diecinueve, capítulo doce.
  `,
  score: `
    El Betis ganó 4-2 al Cádiz. | El Betis ganó cuatro a dos al Cádiz.
    El partido terminó 0-0. | El partido terminó cero a cero.
    Nadal ganó 6-4, 3-6 y 7-5. | Nadal ganó seis a cuatro, tres a seis y siete a cinco.
  `,
  electronic: `
    Escribe a luis@gmail.com. | Escribe a l u i s arroba gmail punto com.
    Visita www.gob.es/ayuda. | Visita w w w punto g o b punto e s barra a y u d a.
    Sigue a @mar_7 y #DíaDelLibro | Sigue a arroba m a r guion bajo siete y almohadilla Día Del Libro
  `,
  serial: `
    El vuelo a bordo del A380. | El vuelo a bordo del A trescientos ochenta.
    El art. 21.3 de la Ley 12/2009 | El artículo veintiuno punto tres de la Ley doce de dos mil nueve
  `,
  math: `
    5 + 3 = 8 | cinco más tres igual a ocho
    El radio es π × 2. | El radio es pi por dos.
    x³ ≤ 10 | x al cubo menor o igual que diez
    El CO₂ del aire. | El C O dos del aire.
  `,
  abbreviation: `
    El Sr. Ruiz y la Dra. Gil. | El señor Ruiz y la doctora Gil.
    D. Pablo y Dña. Inés viven en la Avda. del Puerto. | don Pablo y doña Inés viven en la avenida del Puerto.
    Compró pan, fruta, etc. | Compró pan, fruta, etcétera.
    En EE. UU. hay 50 estados. | En Estados Unidos hay cincuenta estados.
    Murió en el 31 a. C. | Murió en el treinta y uno antes de Cristo.
    La pág. 8 y el art. 12. | La página ocho y el artículo doce.
    El n.º 5 de la lista. | El número cinco de la lista.
  `,
  acronym: `
    El IVA y la ONU, el DNI y el PP. | El IVA y la ONU, el D N I y el P P.
  `,
  symbol: `
    Pérez & Hijos © 2020 | Pérez e Hijos copyright dos mil veinte
    100 ± 5 | cien más menos cinco
  `,
})
